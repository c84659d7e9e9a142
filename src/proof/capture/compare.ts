import type { Git } from '../../sandbox/git/git.ts'
import { readTree, type TreeEntry } from '../../sandbox/git/tree.ts'
import type { Change, FileSide } from '../facts.ts'
import { type Content, readContents } from './contents.ts'

/** Two trees, side by side. */
export interface Comparison {
  changes: Change[]
  base: ReadonlyMap<string, TreeEntry>
  result: ReadonlyMap<string, TreeEntry>
  /** Text of the files of the result that were asked for, as far as they are text and not huge. */
  texts: Map<string, string>
}

const GITLINK = '160000'
/** Above so many candidates git looks for exact moves only. */
const MOST_RENAMES = 2000

/** Everything that differs between two trees, with both contents, and the texts of chosen files of the second. */
export async function compareTrees(
  git: Git,
  trees: { base: string; result: string },
  wanted: (path: string) => boolean = () => false,
): Promise<Comparison> {
  const [raw, base, result] = await Promise.all([diff(git, trees), readTree(git, trees.base), readTree(git, trees.result)])
  const texts = [...result.values()].filter(entry => isFile(entry) && wanted(entry.path))
  const sides = raw.flatMap(({ before, after }) => [before, after]).filter(side => side !== null)
  const contents = await readContents(
    git,
    [...sides.filter(isContent), ...texts].map(({ oid }) => oid),
  )
  return {
    base,
    result,
    changes: raw.map(one => toChange(one, contents)).sort((a, b) => (a.path < b.path ? -1 : 1)),
    texts: new Map(
      texts.flatMap(({ path, oid }) => {
        const text = contents.get(oid)?.text
        return typeof text === 'string' ? [[path, text] as const] : []
      }),
    ),
  }
}

interface Side {
  mode: string
  oid: string
}

interface RawChange {
  path: string
  before: Side | null
  after: Side | null
  moved_from?: string
  moved_to?: string
}

async function diff(git: Git, { base, result }: { base: string; result: string }): Promise<RawChange[]> {
  const { text } = await git.call([
    'diff-tree',
    '-r',
    '-z',
    '--raw',
    '--no-abbrev',
    '--no-relative',
    '--ignore-submodules=none',
    '--find-renames',
    `-l${MOST_RENAMES}`,
    base,
    result,
  ])
  return readRaw(text)
}

/** Reads `diff-tree -z --raw`: `:mode mode oid oid status`, one path, and for a move a second one. */
function readRaw(text: string): RawChange[] {
  const parts = text.split('\0')
  const found: RawChange[] = []
  for (let i = 0; i + 1 < parts.length; ) {
    const [modeBefore = '', modeAfter = '', oidBefore = '', oidAfter = '', status = ''] = (parts[i] ?? '').slice(1).split(' ')
    const path = parts[i + 1] ?? ''
    const before = status.startsWith('A') ? null : { mode: modeBefore, oid: oidBefore }
    const after = status.startsWith('D') ? null : { mode: modeAfter, oid: oidAfter }
    if (status.startsWith('R')) {
      const to = parts[i + 2] ?? ''
      found.push({ path, before, after: null, moved_to: to }, { path: to, before: null, after, moved_from: path })
      i += 3
    } else {
      found.push({ path, before, after })
      i += 2
    }
  }
  return found
}

function toChange({ before, after, ...rest }: RawChange, contents: ReadonlyMap<string, Content>): Change {
  return {
    ...rest,
    kind: before === null ? 'added' : after === null ? 'deleted' : 'changed',
    before: before && withContent(before, contents),
    after: after && withContent(after, contents),
  }
}

function withContent({ mode, oid }: Side, contents: ReadonlyMap<string, Content>): FileSide {
  return { mode, oid, ...(contents.get(oid) ?? { size: 0, binary: false, text: null }) }
}

function isContent({ mode }: Side): boolean {
  return mode !== GITLINK
}

function isFile({ mode }: Side): boolean {
  return mode.startsWith('100')
}
