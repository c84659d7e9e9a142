import type { Clock } from '../../kernel/clock.ts'
import { NotFound } from '../../kernel/errors.ts'
import type { Database } from '../../store/database.ts'
import type { Git } from '../git/git.ts'
import { readTree, type TreeEntry } from '../git/tree.ts'
import { gitObjects } from '../objects/git-objects.ts'
import { keptStore } from '../objects/kept-store.ts'
import { isPlainRepository, looseStore, ownObjects } from '../objects/loose-objects.ts'
import type { Objects } from '../objects/objects.ts'
import { type Manifest, readManifest } from './manifest.ts'
import { createTreeTaker, type TakenTree, type TreeTakerOptions } from './take-tree.ts'
import { createWatching, PREFIX, type SaveOptions, type Snapshot, type WatchedFolder, type WatchOptions } from './watching.ts'

export interface SnapshotsOptions extends TreeTakerOptions {
  state: string
  clock: Clock
  keep?: KeepDays
  /** Where contents, trees and commits go; left out, whatever suits the repository. */
  objects?: Objects
  /** Where what is saved again and again may wait until it is put into the repository. */
  db?: Database
}

/** For how long snapshots are kept. */
export interface KeepDays {
  days: number
  landedDays: number
}

/** Saved states as commits under refs/qed/snapshots. Taking one changes nothing in the place: neither files nor index nor HEAD.
 *  A ref appears only when everything that it names is in the repository. */
export interface Snapshots {
  take: (options: WatchOptions & SaveOptions) => Promise<Snapshot>
  /** A folder that is saved again and again, each time at the cost of what changed. */
  watch: (options: WatchOptions) => Promise<WatchedFolder>
  /** Puts into the repository what a watched folder has saved. What reads snapshots does so first. */
  publish: () => Promise<void>
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

const DAY_MS = 86_400_000
const KEEP: KeepDays = { days: 30, landedDays: 7 }
const LEAST_KEPT = 3

export function createSnapshots(options: SnapshotsOptions): Snapshots {
  const { git, clock, keep = KEEP, skip } = options
  const objects = options.objects ?? objectsFor(options)
  const taker = createTreeTaker(options, objects)
  const watch = createWatching(taker, { objects, skip, clock })

  const list: Snapshots['list'] = async run => {
    await objects.publish()
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
    await objects.publish()
    await git.call(['update-ref', '-d', checked(ref)])
  }
  return {
    take: async ({ root, base, layer, ...how }) => {
      const taken = await (await watch({ root, base, ...(layer && { layer }) })).save(how)
      await objects.publish()
      return taken
    },
    watch,
    publish: objects.publish,
    list,
    drop,
    async read(ref) {
      await objects.publish()
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
    look: (root, base, layer) => taker.take(root, base, { store: false, layer }),
  }
}

function objectsFor({ git, state, clock, db }: SnapshotsOptions): Objects {
  if (!isPlainRepository(git.folder)) return gitObjects(git, { state, clock })
  return ownObjects(db ? keptStore(db, git.folder) : looseStore(git.folder), clock)
}

// The date alone: most starts of a run find nothing to drop, and reading every message would be felt.
async function oldestAt(git: Git): Promise<number> {
  const seconds = await git.line(['for-each-ref', '--sort=committerdate', '--count=1', '--format=%(committerdate:unix)', `${PREFIX}/`])
  return Number(seconds || Infinity) * 1000
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
