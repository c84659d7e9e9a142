import { patchPath } from '../../text/edits/patch-path.ts'

/** A file as a patch names it. `sided` names begin with the folder of their side, as in `a/src/x`. */
export interface PatchName {
  name: string
  sided: boolean
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/
const NAMED: readonly { starts: string; sided: boolean }[] = [
  ...['rename from ', 'rename to ', 'copy from ', 'copy to '].map(starts => ({ starts, sided: false })),
  { starts: 'Index: ', sided: true },
]
/** Context diffs, plain diffs and scripts of ed name their files in ways of their own. */
const OTHER_FORM = /^(?:\*\*\* |\*{15}|\d+(?:,\d+)?[acdis!](?:\d+(?:,\d+)?)?\s*$|\d+(?:,\d+)?!)/

/** Every file that a unified diff may write, or null where that cannot be told for certain. */
export function namesInPatch(text: string): PatchName[] | null {
  const lines = text.split('\n')
  const found = new Map<string, PatchName>()
  const add = (written: string, sided: boolean): void => {
    const name = patchPath(written.replace(/\t.*$/s, '').trimEnd(), 'none')
    if (name !== '/dev/null') found.set(`${sided} ${name}`, { name, sided })
  }
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? ''
    const hunk = HUNK.exec(line)
    if (hunk) i = endOfHunk(lines, i + 1, Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)) - 1
    else if (line.startsWith('--- ') && lines[i + 1]?.startsWith('+++ ')) {
      add(line.slice(4), true)
      add(lines[++i]?.slice(4) ?? '', true)
    } else if (line.startsWith('diff --git ')) {
      const both = gitNames(line.slice('diff --git '.length))
      if (!both) return null
      for (const name of both) add(name, true)
    } else if (OTHER_FORM.test(line)) return null
    else for (const { starts, sided } of NAMED) if (line.startsWith(starts)) add(line.slice(starts.length), sided)
  }
  return found.size === 0 ? null : [...found.values()]
}

function endOfHunk(lines: readonly string[], start: number, old: number, fresh: number): number {
  let at = start
  for (let [left, right] = [old, fresh]; at < lines.length && (left > 0 || right > 0); at++) {
    const sign = lines[at]?.[0]
    if (sign !== '+' && sign !== '\\') left--
    if (sign !== '-' && sign !== '\\') right--
  }
  return at
}

/** Blanks in the two names are not marked, so only names that differ in their first part alone can then be told apart. */
function gitNames(written: string): [string, string] | null {
  const [, quoted, other] = /^("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*"|\S+)$/.exec(written) ?? []
  if (quoted !== undefined && other !== undefined) return [quoted, other]
  const half = (written.length - 1) / 2
  const [old, fresh] = [written.slice(0, half), written.slice(half + 1)]
  return written[half] === ' ' && old.slice(old.indexOf('/')) === fresh.slice(fresh.indexOf('/')) ? [old, fresh] : null
}

/** A name without its first `strip` folders; null where it has not that many. */
export function strippedName({ name, sided }: PatchName, strip: number): string | null {
  const parts = name.split('/')
  const dropped = sided ? strip : Math.max(0, strip - 1)
  return parts.length > dropped ? parts.slice(dropped).join('/') : null
}
