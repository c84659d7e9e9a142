import { matchesAny } from '../../judges/matching.ts'
import type { Source } from '../../source/source.ts'
import { blockAt, testBlocks } from '../../source/test-blocks.ts'
import { type FindingRule, finding } from '../rule.ts'
import { type FileView, viewsOf } from '../view.ts'
import { severityWithLeave } from './leave.ts'

const isGolden = matchesAny(['**/__snapshots__/**', '**/*.snap', '**/{golden,goldens,testdata}/**', '**/*.golden', '**/*.approved.*'])

/** What the output must be was made to fit what it is. New snapshots, and new entries beside the old ones, are no finding. */
export const testSnapshotUpdated: FindingRule = facts => {
  const severity = severityWithLeave(facts)
  return viewsOf(facts).flatMap(view => {
    if (view.change.moved_to !== undefined || !view.before) return []
    if (isGolden(view.path) && view.isTest)
      return isKept(view)
        ? []
        : [finding('test.snapshot-updated', { path: view.path, severity: severity(view.path), line: firstLine(view) })]
    const line = view.isTest && view.old && view.now ? inlineChanged(view.old, view.now) : null
    return line === null
      ? []
      : [finding('test.snapshot-updated', { path: view.path, line, severity: severity(view.path), measured: 'inline snapshot' })]
  })
}

const firstLine = ({ diff, after }: FileView): number | undefined => {
  const hunk = diff.hunks[0]
  return after && hunk ? hunk.after.start + 1 : undefined
}

function isKept({ path, before, after }: FileView): boolean {
  if (!before || !after) return false
  if (before.oid === after.oid) return true
  if (before.text === null || after.text === null || !path.endsWith('.snap')) return false
  const now = entriesOf(after.text)
  return [...entriesOf(before.text)].every(([name, text]) => now.get(name) === text)
}

/** The entries of a snapshot file by their names; what has another form is one entry of the whole. */
function entriesOf(text: string): Map<string, string> {
  const starts = [...text.matchAll(/^exports\[`(.*)`\] = /gm)]
  if (starts.length === 0) return new Map([['', text]])
  return new Map(starts.map((match, i) => [match[1] ?? '', text.slice(match.index, starts[i + 1]?.index ?? text.length).trimEnd()]))
}

const INLINE = /\.to(?:Match|ThrowErrorMatching)InlineSnapshot\s*\(/g

/** The line of the first inline snapshot that a test of the same title had otherwise. */
function inlineChanged(old: Source, now: Source): number | null {
  const before = inlineOf(old)
  for (const [key, { text, line }] of inlineOf(now)) {
    const was = before.get(key)
    // One that was empty is new.
    if (was !== undefined && was.text.trim() !== '' && was.text !== text) return line
  }
  return null
}

function inlineOf(source: Source): Map<string, { text: string; line: number }> {
  const found = new Map<string, { text: string; line: number }>()
  const blocks = testBlocks(source)
  for (const match of source.code.matchAll(INLINE)) {
    const open = match.index + match[0].length - 1
    const close = source.brackets.partner[open] ?? open
    const title = blockAt(blocks, match.index)?.title ?? ''
    let n = 0
    while (found.has(`${n} ${title}`)) n++
    const text = source.text.slice(open + 1, close).replace(/\s+/g, ' ')
    found.set(`${n} ${title}`, { text, line: source.lineAt(match.index) + 1 })
  }
  return found
}
