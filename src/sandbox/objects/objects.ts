import type { RunId } from '../../kernel/ids.ts'
import type { TreeEntry } from '../git/tree.ts'
import type { PlaceFile } from '../snapshot/walk.ts'

export interface NewCommit {
  tree: string
  parents: string[]
  message: string
}

export interface HashOptions {
  root: string
  store: boolean
  signal?: AbortSignal | undefined
}

/** Where the contents, trees and commits of one repository go. */
export interface Objects {
  /** The names of files, byte for byte: no filter, no line-end conversion. With `store` the contents are put into the repository.
   *  A file that cannot be read, or changes while it is read, is missing in the answer. */
  hash: (files: readonly PlaceFile[], at: HashOptions) => Promise<Map<string, string>>
  /** An empty tree that can be filled and stored again and again. `stored`: trees that are in the repository already. */
  tree: (stored?: ReadonlySet<string>) => TreeBuilder
  commit: (commit: NewCommit) => Promise<string>
  /** Makes a ref that is not there yet; false where it is, or where someone holds its name. */
  makeRef: (ref: string, commit: string) => Promise<boolean>
  /** The highest number that a snapshot of this run has. */
  newest: (run: RunId) => Promise<number>
  /** Until then what was put and named may be kept where git does not see it, as safe as in the repository. */
  publish: () => Promise<void>
}

export interface TreeBuilder {
  set: (path: string, entry: Pick<TreeEntry, 'mode' | 'oid'> | null) => void
  /** Its name; everything in it is in the repository by then. */
  store: () => Promise<string>
}
