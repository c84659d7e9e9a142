import { assignedSecret, KEY_WORDS } from './assignment.ts'
import { AUTH_HEADER, type Detector, DETECTORS as FIRST, SERVICES, TELEGRAM } from './detectors.ts'
import { isExcused } from './excuses.ts'
import { NO_VAULT, type VaultValues } from './vault-values.ts'

/** Where a secret stands: UTF-16 offsets, end exclusive, line and column from 1. Never its value. */
export interface SecretFinding {
  detector: string
  start: number
  end: number
  line: number
  column: number
}

/** A range with what redaction must know of it. */
export interface SecretRange {
  detector: string
  start: number
  end: number
  /** Where what gave it away begins: its key, its scheme, or the secret itself. */
  from: number
}

const MOST_KEY_LENGTH = 16 * 1024
/** Nothing shorter can hold a secret together with what gives it away. */
const LEAST_TEXT = 8

const DETECTORS = [...FIRST, ...SERVICES]
const byFirst = new Map<string, Detector[]>()
for (const detector of DETECTORS) {
  for (const first of new Set(detector.starts.map(start => start.charAt(0)))) byFirst.set(first, [...(byFirst.get(first) ?? []), detector])
}
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
const STARTS = new RegExp(DETECTORS.flatMap(detector => detector.starts.map(escaped)).join('|'), 'g')
const WORDS = new RegExp(`${KEY_WORDS.source}|authorization`, 'gi')
const RUN = /[\w-]*/y
const ORDER = [...DETECTORS.map(detector => detector.id), 'telegram', 'auth-header', 'assignment', 'vault-value']

/** All secrets of a text, in order and without overlap. Linear in the length of the text. */
export function scan(text: string, vault: VaultValues = NO_VAULT): SecretFinding[] {
  let line = 1
  let lineStart = 0
  let at = 0
  return findSecrets(text, vault).map(({ detector, start, end }) => {
    for (let next = text.indexOf('\n', at); next >= 0 && next < start; next = text.indexOf('\n', at)) {
      line++
      lineStart = at = next + 1
    }
    return { detector, start, end, line, column: start - lineStart + 1 }
  })
}

export function findSecrets(text: string, vault: VaultValues = NO_VAULT): SecretRange[] {
  if (text.length < LEAST_TEXT) return []
  const found: SecretRange[] = []
  byForm(text, found)
  byDigits(text, found)
  byWord(text, found)
  byVault(text, vault, found)
  return found.length === 0 ? found : merged(found)
}

function byForm(text: string, found: SecretRange[]): void {
  const deadUntil = new Map<string, number>()
  STARTS.lastIndex = 0
  for (let start = STARTS.exec(text); start; start = STARTS.exec(text)) {
    const at = start.index
    let resume = at + 1
    for (const detector of byFirst.get(start[0].charAt(0)) ?? []) {
      if (at < (deadUntil.get(detector.id) ?? 0)) continue
      const range = rangeAt(text, at, detector)
      if (range) {
        resume = Math.max(resume, range.end)
        if (detector.always || !isExcused(text.slice(range.start, range.end))) found.push(range)
      } else if (detector.failsForRun) deadUntil.set(detector.id, runEnd(text, at))
    }
    STARTS.lastIndex = resume
  }
}

function rangeAt(text: string, at: number, detector: Detector): SecretRange | null {
  const { form, id } = detector
  form.lastIndex = at
  const match = form.exec(text)
  if (!match) return null
  const end = at + match[0].length
  if (id === 'private-key') return { detector: id, from: at, start: at, end: keyEnd(text, at, end) }
  return { detector: id, from: at, start: end - (match.groups?.['value'] ?? match[0]).length, end }
}

function keyEnd(text: string, start: number, afterHeader: number): number {
  const most = Math.min(text.length, start + MOST_KEY_LENGTH)
  const footer = /-----END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----/y
  for (let at = text.indexOf('-----END ', afterHeader); at >= 0 && at < most; at = text.indexOf('-----END ', at + 1)) {
    footer.lastIndex = at
    const found = footer.exec(text)
    if (found) return at + found[0].length
  }
  return most
}

function runEnd(text: string, at: number): number {
  RUN.lastIndex = at
  RUN.test(text)
  return RUN.lastIndex
}

function byDigits(text: string, found: SecretRange[]): void {
  for (const match of text.matchAll(TELEGRAM.form)) {
    const range = { detector: TELEGRAM.id, from: match.index, start: match.index, end: match.index + match[0].length }
    if (!isExcused(match[0])) found.push(range)
  }
}

function byWord(text: string, found: SecretRange[]): void {
  WORDS.lastIndex = 0
  for (let match = WORDS.exec(text); match; match = WORDS.exec(text)) {
    const at = match.index
    if (/^a[uU]/i.test(match[0])) {
      const header = headerAt(text, at)
      if (header) found.push(header)
      continue
    }
    const assigned = assignedSecret(text, at, match[0])
    if (!assigned) continue
    found.push({ detector: 'assignment', from: at, ...assigned })
    WORDS.lastIndex = assigned.end
  }
}

function headerAt(text: string, at: number): SecretRange | null {
  AUTH_HEADER.form.lastIndex = at
  const match = AUTH_HEADER.form.exec(text)
  const value = match?.groups?.['value']
  if (!match || value === undefined || isExcused(value)) return null
  const end = at + match[0].length
  return { detector: AUTH_HEADER.id, from: at, start: end - value.length, end }
}

function byVault(text: string, { needles }: VaultValues, found: SecretRange[]): void {
  for (const needle of needles) {
    for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length)) {
      found.push({ detector: 'vault-value', from: at, start: at, end: at + needle.length })
    }
  }
}

// What overlaps becomes one range; the longest of its parts names it, the first of the table among equals.
function merged(found: SecretRange[]): SecretRange[] {
  const rank = (range: SecretRange): number => ORDER.indexOf(range.detector)
  found.sort((a, b) => a.start - b.start || b.end - a.end || rank(a) - rank(b))
  const kept: (SecretRange & { longest: number })[] = []
  for (const range of found) {
    const last = kept.at(-1)
    const length = range.end - range.start
    if (!last || range.start >= last.end) {
      kept.push({ ...range, longest: length })
      continue
    }
    if (length > last.longest || (length === last.longest && rank(range) < rank(last)))
      Object.assign(last, { detector: range.detector, longest: length })
    last.end = Math.max(last.end, range.end)
    last.from = Math.min(last.from, range.from)
  }
  return kept.map(({ detector, start, end, from }) => ({ detector, start, end, from }))
}
