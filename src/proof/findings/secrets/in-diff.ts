import { sha256 } from '../../../kernel/sha256.ts'
import { findSecrets } from '../../../policy/secrets/scan.ts'
import { LineIndex } from '../../source/line-index.ts'
import { type FindingRule, finding } from '../rule.ts'
import { viewsOf } from '../view.ts'
import { DOCUMENTED_EXAMPLES } from './examples.ts'

/** A secret in what the change adds. The whole file is read, because a key may begin above the first added line. */
export const secretInDiff: FindingRule = facts => {
  const allowed = new Set(facts.settings.secret_allow.map(digest => digest.toLowerCase()))
  return viewsOf(facts).flatMap(({ path, after, diff, isTest }) => {
    const text = after?.text ?? null
    if (text === null || diff.added.length === 0) return []
    const lines = new LineIndex(text)
    const added = new Set(diff.added)
    return findSecrets(text).flatMap(({ detector, start, end, from }) => {
      const value = text.slice(start, end)
      if (WEAK.has(detector) && isHarmless(value, { key: text.slice(from, start), isTest })) return []
      const [first, last] = [lines.lineAt(from), lines.lineAt(end - 1)]
      let line = first
      while (line <= last && !added.has(line)) line++
      if (line > last || isKnown(value, allowed)) return []
      return [finding('secret.in-diff', { path, line: line + 1, measured: detector })]
    })
  })
}

/** Told by the word beside the value, not by its form. */
const WEAK = new Set(['assignment', 'auth-header'])
const WORDS = /^[A-Za-z]+(?:[ _-][A-Za-z]+)*$/
const FILLED_IN = /\$\{|#\{|\$\(/

/** What is put together when the program runs, and plain words: `'Bearer wrong'`. A word may be a password, but not that of a test. */
function isHarmless(value: string, { key, isTest }: { key: string; isTest: boolean }): boolean {
  return FILLED_IN.test(value) || (WORDS.test(value) && (isTest || !/^pass/i.test(key)))
}

function isKnown(value: string, allowed: ReadonlySet<string>): boolean {
  const digest = sha256(value)
  return allowed.has(digest) || DOCUMENTED_EXAMPLES.has(digest)
}
