import { homedir } from 'node:os'
import { sensitivityOf } from '../../policy/paths/sensitive.ts'

/** Whether the content of a file must not be seen by a worker, told by its absolute path. */
export type IsSensitive = (path: string) => boolean

/** By the names that are sensitive everywhere. What a person adds or excepts comes with the policy that is handed in. */
export const isSensitiveName: IsSensitive = path =>
  sensitivityOf({ real: path, relative: null, home: homedir(), added: [], excepted: [] })?.kind === 'sensitive'
