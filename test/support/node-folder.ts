import { tmpdir } from 'node:os'
import { dirname } from 'node:path'

/** A sandbox covers the temporary folders; a Node that lies there is shown all the same. */
export const NODE_FOLDER = [tmpdir(), '/var/tmp', '/run'].some(folder => process.execPath.startsWith(`${folder}/`))
  ? [dirname(process.execPath)]
  : []
