import { tmpdir } from 'node:os'
import { dirname } from 'node:path'

/** A sandbox covers the temporary folder; a Node that lies there is shown all the same. */
export const NODE_FOLDER = process.execPath.startsWith(`${tmpdir()}/`) ? [dirname(process.execPath)] : []
