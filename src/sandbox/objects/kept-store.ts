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
  /** Since the last ref: without one nobody would find them. */
  let fresh = new Map<string, PackedObject>()
  let keptBytes = 0
  /** What is kept only adds to what the repository holds; so there must be a ref that keeps git from removing that. */
  const anchored = new Set<string>()
  let mustPublish = false

  const keep = (refs: readonly [ref: string, commit: string][]): void =>
    db.transaction(() => {
      for (const { oid, kind, size, bytes } of fresh.values()) {
        keptBytes += bytes.length
        db.run('INSERT OR IGNORE INTO kept_objects (oid, kind, size, bytes) VALUES (?, ?, ?, ?)', oid, kind, size, bytes)
      }
      for (const [ref, commit] of refs) db.run('INSERT INTO kept_refs (ref, commit_oid) VALUES (?, ?)', ref, commit)
    })
  const publish = (): void => {
    if (fresh.size > 0) keep([])
    fresh = new Map()
    const objects = db.all<PackedObject>('SELECT oid, kind, size, bytes FROM kept_objects')
    const refs = db.all<{ ref: string; commit_oid: string }>('SELECT ref, commit_oid FROM kept_refs')
    if (objects.length > 0) storePack(gitFolder, objects)
    for (const { ref, commit_oid } of refs) loose.writeRef(ref, commit_oid)
    // Only what was seen above: another process may have kept more meanwhile.
    if (objects.length + refs.length > 0)
      db.transaction(() => {
        for (const { oid } of objects) db.run('DELETE FROM kept_objects WHERE oid = ?', oid)
        for (const { ref } of refs) db.run('DELETE FROM kept_refs WHERE ref = ?', ref)
      })
    keptBytes = 0
    mustPublish = false
  }
  const isKept = (ref: string): boolean => db.get('SELECT 1 FROM kept_refs WHERE ref = ?', ref) !== undefined
  return {
    put: object => {
      const { oid, kind, content } = object
      if (content.length <= MOST_BYTES) {
        if (!fresh.has(oid)) fresh.set(oid, { oid, kind, size: content.length, bytes: deflateSync(content, COMPRESSION) })
        return
      }
      loose.put(object)
      mustPublish = true
    },
    makeRef: (ref, commit) => {
      const run = ref.slice(0, ref.lastIndexOf('/'))
      if (isKept(ref)) return false
      if (!anchored.has(run) || mustPublish || keptBytes > MOST_KEPT) {
        publish()
        anchored.add(run)
        return loose.makeRef(ref, commit)
      }
      if (loose.isTaken(ref)) return false
      keep([[ref, commit]])
      fresh = new Map()
      return true
    },
    newest: run => {
      const kept = db.all<{ ref: string }>(`SELECT ref FROM kept_refs WHERE ref GLOB ?`, `refs/qed/snapshots/${run}/*`)
      return Math.max(loose.newest(run), ...kept.map(({ ref }) => Number(ref.slice(ref.lastIndexOf('/') + 1))))
    },
    publish,
  }
}
