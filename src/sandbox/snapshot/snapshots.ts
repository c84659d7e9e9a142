import { type Clock, timestamp } from '../../kernel/clock.ts'
import { NotFound } from '../../kernel/errors.ts'
import type { RunId } from '../../kernel/ids.ts'
import { type Git, GitFailed } from '../git/git.ts'
import { readTree, type TreeEntry } from '../git/tree.ts'
import { lstatIfThere } from '../paths.ts'
import { REDACTED } from '../redaction/text-redactor.ts'
import { type Manifest, readManifest, snapshotMessage } from './manifest.ts'
import { type LeftOut, oddMode } from './select.ts'
import { storeCommit, storeTree } from './store-commit.ts'
import { createTreeTaker, type TakenTree, type TreeTakerOptions } from './take-tree.ts'

export interface SnapshotsOptions extends TreeTakerOptions {
  state: string
  clock: Clock
  keep?: KeepDays
}

/** For how long snapshots are kept. */
export interface KeepDays {
  days: number
  landedDays: number
}

interface TakeOptions {
  run: RunId
  /** The place or checkout. */
  root: string
  /** The commit that it started from; null before the first one. */
  base: string | null
  scratch?: string
  /** The prepared layer in it, relative to it. */
  layer?: readonly string[]
  reason: string
}

export interface Snapshot {
  ref: string
  commit: string
  tree: string
  n: number
  run: string
  at: string
  reason: string
  base: string | null
  left_out: LeftOut[]
}

/** Saved states as commits under refs/qed/snapshots. Taking one changes nothing in the place: neither files nor index nor HEAD.
 *  A ref appears only when everything that it names is in the repository. */
export interface Snapshots {
  take: (options: TakeOptions) => Promise<Snapshot>
  list: (run?: string) => Promise<Snapshot[]>
  /** Throws `not_found` where there is none. */
  read: (ref: string) => Promise<Snapshot & { manifest: Manifest; files: Map<string, TreeEntry> }>
  /** For a person or the clock. */
  drop: (ref: string) => Promise<void>
  /** Drops what is older than its time; the newest few of each run stay, and so does what is still needed. */
  expire: (facts: { landed: (run: string) => boolean; isNeeded?: (snapshot: Snapshot) => boolean }) => Promise<string[]>
  /** What is in a folder now, as a tree would have it. */
  look: (root: string, base: string | null, layer?: readonly string[]) => Promise<TakenTree>
}

const PREFIX = 'refs/qed/snapshots'
const MOST_TRIES = 50
const DAY_MS = 86_400_000
const KEEP: KeepDays = { days: 30, landedDays: 7 }
const LEAST_KEPT = 3

export function createSnapshots(options: SnapshotsOptions): Snapshots {
  const { git, state, clock, keep = KEEP } = options
  const takeTree = createTreeTaker(options)

  const take: Snapshots['take'] = async ({ run, root, base, scratch, layer = [], reason }) => {
    const taken = await takeTree(root, base, { store: true, layer })
    const tree = await storeTree(git, state, taken.entries.values())
    const at = timestamp(clock)
    const scratchCommit = scratch !== undefined && lstatIfThere(scratch) ? await scratchOf(scratch) : null
    const manifest: Manifest = {
      version: 1,
      run,
      base,
      reason,
      at,
      left_out: taken.leftOut.map(one => (taken.unnamed.has(one.path) ? { ...one, path: REDACTED } : one)),
      modes: oddModes(taken),
      empty_folders: taken.emptyFolders,
      scratch: scratchCommit,
      layer: [...layer],
    }
    const parents = [base, scratchCommit].filter(parent => parent !== null)
    // Another QED may take the number first, and a lock that a killed git left behind blocks one: then it is the next.
    for (let n = (await newest(run)) + 1, tries = 1; ; n = Math.max(n, await newest(run)) + 1, tries++) {
      const commit = await storeCommit(git, clock, { tree, parents, message: snapshotMessage(n, manifest) })
      const ref = `${PREFIX}/${run}/${n}`
      try {
        await git.call(['update-ref', ref, commit, '0'.repeat(commit.length)])
        return { ref, commit, tree, n, run, at, reason, base, left_out: taken.leftOut }
      } catch (error) {
        if (!(error instanceof GitFailed) || tries === MOST_TRIES) throw error
      }
    }
  }
  const scratchOf = async (scratch: string): Promise<string> => {
    const { entries } = await takeTree(scratch, null, { store: true })
    const tree = await storeTree(git, state, entries.values())
    return storeCommit(git, clock, { tree, parents: [], message: 'QED scratch folder\n' })
  }
  const newest = async (run: string): Promise<number> => {
    const { text } = await git.call(['for-each-ref', '--format=%(refname:lstrip=4)', `${PREFIX}/${run}/`])
    return Math.max(0, ...text.split('\n').filter(Boolean).map(Number))
  }
  const list: Snapshots['list'] = async run => {
    const format = '%(refname)%00%(objectname)%00%(tree)%00%(contents)%00%00'
    const { text } = await git.call(['for-each-ref', `--format=${format}`, run === undefined ? `${PREFIX}/` : `${PREFIX}/${run}/`])
    const found = text.split('\0\0').flatMap(record => {
      const [ref = '', commit = '', tree = '', message = ''] = record.replace(/^\n/, '').split('\0')
      const manifest = readManifest(message)
      return manifest ? [toSnapshot({ ref, commit, tree, manifest })] : []
    })
    return found.sort((a, b) => (a.run === b.run ? a.n - b.n : a.at < b.at ? -1 : 1))
  }
  const drop: Snapshots['drop'] = async ref => {
    await git.call(['update-ref', '-d', checked(ref)])
  }
  return {
    take,
    list,
    drop,
    async read(ref) {
      const { text, exit } = await git.call(['cat-file', 'commit', checked(ref)], { answers: [0, 128] })
      const tree = /^tree ([0-9a-f]+)$/m.exec(text)?.[1]
      const manifest = readManifest(text.slice(text.indexOf('\n\n') + 2))
      if (exit !== 0 || tree === undefined || !manifest) throw unknownSnapshot(ref)
      const commit = await git.line(['rev-parse', '--verify', ref])
      return { ...toSnapshot({ ref, commit, tree, manifest }), manifest, files: await readTree(git, tree) }
    },
    async expire({ landed, isNeeded = () => false }) {
      if ((await oldestAt(git)) >= clock.now() - Math.min(keep.days, keep.landedDays) * DAY_MS) return []
      const all = await list()
      const dropped = Object.values(Object.groupBy(all, one => one.run)).flatMap((ofRun = []) => {
        const days = landed(ofRun[0]?.run ?? '') ? keep.landedDays : keep.days
        return ofRun.slice(0, -LEAST_KEPT).filter(one => Date.parse(one.at) < clock.now() - days * DAY_MS && !isNeeded(one))
      })
      for (const { ref } of dropped) await drop(ref)
      return dropped.map(({ ref }) => ref)
    },
    look: (root, base, layer) => takeTree(root, base, { store: false, layer }),
  }
}

// The date alone: most starts of a run find nothing to drop, and reading every message would be felt.
async function oldestAt(git: Git): Promise<number> {
  const seconds = await git.line(['for-each-ref', '--sort=committerdate', '--count=1', '--format=%(committerdate:unix)', `${PREFIX}/`])
  return Number(seconds || Infinity) * 1000
}

function oddModes({ entries, files }: TakenTree): Record<string, string> {
  const odd = files.map(file => [file.path, oddMode(file)] as const)
  return Object.fromEntries(odd.flatMap(([path, mode]) => (mode !== null && entries.has(path) ? [[path, mode]] : [])))
}

function toSnapshot(from: { ref: string; commit: string; tree: string; manifest: Manifest }): Snapshot {
  const { ref, commit, tree, manifest } = from
  const { run, at, reason, base, left_out } = manifest
  return { ref, commit, tree, n: Number(ref.split('/').at(-1)), run, at, reason, base, left_out }
}

/** Only our own refs are read or removed through this room. */
function checked(ref: string): string {
  if (!/^refs\/qed\/snapshots\/[\w-]+\/\d+$/.test(ref)) throw unknownSnapshot(ref)
  return ref
}

function unknownSnapshot(ref: string): NotFound {
  return new NotFound(`There is no snapshot ${ref}.`, {
    details: { ref },
    next: { operation: 'snapshot.list', command: 'qed snapshot list', why: 'It lists what was saved.' },
  })
}
