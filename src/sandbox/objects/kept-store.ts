// Making a file for every object and every ref of every snapshot is slow on many disks. So what a run saves turn by turn is kept in
// the store first, in one transaction with the name of the snapshot, and put into the repository later as one file: at the end of the
// run, before anyone reads snapshots, or when it has become much. A killed process leaves it in the store, for the next one to publish.
import { deflateSync } from 'node:zlib'
import type { Database } from '../../store/database.ts'
import { COMPRESSION, looseStore, type ObjectStore, storePack } from './loose-objects.ts'
import type { PackedObject } from './pack.ts'

const MOST_BYTES = 64 << 10
const MOST_KEPT = 16 << 20

export function keptStore(db: Database, gitFolder: string): ObjectStore {
  const loose = looseStore(gitFolder)
  /** All that was put since everything went into the repository, in order. */
  const recent = new Map<string, PackedObject>()
  let recentBytes = 0
  /** Up to where in there each run has named what it put. What is kept only adds to what the repository holds: for a run that is
   *  missing here git may have something that no ref keeps it from removing, so that its next ref goes there at once. */
  const named = new Map<string, number>()

  const isKept = (ref: string): boolean => db.get('SELECT 1 FROM kept_refs WHERE ref = ?', ref) !== undefined
  const keep = (ref: string, commit: string, since: number): boolean =>
    db.transaction(() => {
      if (isKept(ref) || loose.isTaken(ref)) return false
      for (const { oid, kind, size, bytes } of [...recent.values()].slice(since))
        db.run('INSERT OR IGNORE INTO kept_objects (oid, kind, size, bytes) VALUES (?, ?, ?, ?)', oid, kind, size, bytes)
      db.run('INSERT INTO kept_refs (ref, commit_oid) VALUES (?, ?)', ref, commit)
      return true
    })
  const publish = (): void => {
    const { objects, refs } = keptIn(db)
    // Where no ref of a run is left, so may be nothing of what these build on: it is another repository by now.
    const held = new Set([...new Set(refs.map(({ ref }) => runOf(ref)))].filter(loose.holds))
    const ready = refs.filter(({ ref }) => held.has(runOf(ref)))
    const packed = new Map([...(ready.length > 0 ? objects : []).map(one => [one.oid, one] as const), ...recent])
    if (packed.size > 0) storePack(gitFolder, [...packed.values()])
    for (const { ref, commit_oid } of ready) loose.writeRef(ref, commit_oid)
    if (ready.length > 0) forget(db, ready)
    for (const [run, upTo] of named) {
      if (upTo < recent.size) named.delete(run)
      else named.set(run, 0)
    }
    recent.clear()
    recentBytes = 0
  }
  return {
    put: object => {
      const { oid, kind, content } = object
      if (content.length > MOST_BYTES) {
        loose.put(object)
        named.clear()
      } else if (!recent.has(oid)) {
        const bytes = deflateSync(content, COMPRESSION)
        recent.set(oid, { oid, kind, size: content.length, bytes })
        recentBytes += bytes.length
      }
    },
    makeRef: (ref, commit) => {
      const run = runOf(ref)
      const since = named.get(run)
      const isNow = since === undefined || recentBytes > MOST_KEPT || !loose.holds(run)
      if (isNow) publish()
      const isMade = isNow ? db.transaction(() => !isKept(ref) && loose.makeRef(ref, commit)) : keep(ref, commit, since)
      if (isMade) named.set(run, recent.size)
      return isMade
    },
    newest: run => {
      const kept = db.all<{ ref: string }>(`SELECT ref FROM kept_refs WHERE ref GLOB ?`, `refs/qed/snapshots/${run}/*`)
      return Math.max(loose.newest(run), ...kept.map(({ ref }) => Number(ref.slice(ref.lastIndexOf('/') + 1))))
    },
    publish,
  }
}

interface KeptRef {
  ref: string
  commit_oid: string
}

/** Of one moment: a ref without its objects would be a broken one. */
function keptIn(db: Database): { objects: PackedObject[]; refs: KeptRef[] } {
  return db.snapshot(() => ({
    objects: db.all<PackedObject>('SELECT oid, kind, size, bytes FROM kept_objects'),
    refs: db.all<KeptRef>('SELECT ref, commit_oid FROM kept_refs'),
  }))
}

/** Of what is in the repository now. Objects stay for as long as there are refs that another process has kept meanwhile: they may
 *  build on them. */
function forget(db: Database, refs: readonly KeptRef[]): void {
  db.transaction(() => {
    for (const { ref } of refs) db.run('DELETE FROM kept_refs WHERE ref = ?', ref)
    if (!db.get('SELECT 1 FROM kept_refs')) db.run('DELETE FROM kept_objects')
  })
}

function runOf(ref: string): string {
  return ref.split('/').at(-2) ?? ''
}
