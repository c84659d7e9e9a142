import type { Change, Document } from './document.ts'
import { nextLineStart } from './lines.ts'

/** One line of an edit: it stays, it goes, or it is new. */
export interface Op {
  kind: 'keep' | 'drop' | 'add'
  text: string
}

export function oldLines(ops: readonly Op[]): string[] {
  return ops.filter(op => op.kind !== 'add').map(op => op.text)
}

export function newLines(ops: readonly Op[]): string[] {
  return ops.filter(op => op.kind !== 'drop').map(op => op.text)
}

/** The edit that turns some lines into others. */
export function replacing(search: readonly string[], replace: readonly string[]): Op[] {
  return keepingCommonLines([
    ...search.map(text => ({ kind: 'drop', text }) as const),
    ...replace.map(text => ({ kind: 'add', text }) as const),
  ])
}

/** In each run of changed lines, those that are equal at both ends become lines that stay, so that the file's form of them
 *  survives every tolerant match. */
export function keepingCommonLines(ops: readonly Op[]): Op[] {
  const result: Op[] = []
  for (let i = 0; i < ops.length; ) {
    const op = ops[i]
    if (op === undefined) break
    if (op.kind === 'keep') {
      result.push(op)
      i++
      continue
    }
    const run: Op[] = []
    for (let next = ops[i]; next !== undefined && next.kind !== 'keep'; next = ops[++i]) run.push(next)
    const old = run.filter(({ kind }) => kind === 'drop').map(({ text }) => text)
    const fresh = run.filter(({ kind }) => kind === 'add').map(({ text }) => text)
    const { leading, trailing } = commonLines(old, fresh)
    for (const text of old.slice(0, leading)) result.push({ kind: 'keep', text })
    for (const text of old.slice(leading, old.length - trailing)) result.push({ kind: 'drop', text })
    for (const text of fresh.slice(leading, fresh.length - trailing)) result.push({ kind: 'add', text })
    for (const text of old.slice(old.length - trailing)) result.push({ kind: 'keep', text })
  }
  return result
}

export function commonLines(old: readonly string[], fresh: readonly string[]): { leading: number; trailing: number } {
  const most = Math.min(old.length, fresh.length)
  let leading = 0
  while (leading < most && old[leading] === fresh[leading]) leading++
  let trailing = 0
  while (trailing < most - leading && old[old.length - 1 - trailing] === fresh[fresh.length - 1 - trailing]) trailing++
  return { leading, trailing }
}

/** The changes that the ops make to lines starting at an offset, and where those lines end. */
export function lineChanges(document: Document, ops: readonly Op[], offset: number): { changes: Change[]; end: number } {
  const { text } = document
  const changes: Change[] = []
  let position = offset
  let run: { start: number; added: string[] } | undefined
  const close = (): void => {
    if (run) changes.push(lineChange(document, run.start, position, run.added))
    run = undefined
  }
  for (const op of ops) {
    if (op.kind === 'keep') close()
    else run ??= { start: position, added: [] }
    if (op.kind === 'add') run?.added.push(op.text)
    else position = nextLineStart(text, position)
  }
  close()
  return { changes, end: position }
}

/** Lines from one line start to another, replaced by others. Whether the file ends with a line break does not change. */
function lineChange(document: Document, start: number, end: number, added: readonly string[]): Change {
  const { text, open } = document
  if (!open || end < text.length || text.endsWith('\n')) return { start, end, text: added.map(line => `${line}\n`).join('') }
  if (start === end) return appendedLines(document, added)
  if (added.length === 0) return { start: Math.max(0, start - 1), end, text: '' }
  return { start, end, text: added.join('\n') }
}

/** Lines behind the last one. */
export function appendedLines({ text, open }: Document, added: readonly string[]): Change {
  const at = { start: text.length, end: text.length }
  if (!open) return { ...at, text: added.map(line => `${line}\n`).join('') }
  return { ...at, text: text === '' ? added.join('\n') : added.map(line => `\n${line}`).join('') }
}
