import { rmSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { parseJson } from '../kernel/json.ts'
import { readFileIfThere, writeFileAtomically } from '../store/files.ts'

/** `.qed/server.json`: where the server of this project listens, and the token that lets a caller in. */
const ServerFile = () =>
  z.object({
    pid: z.int().positive(),
    port: z.int(),
    token: z.string(),
    version: z.string(),
    started_at: z.string(),
    url: z.string(),
  })
export type ServerFile = z.infer<ReturnType<typeof ServerFile>>

/** The file of a server that is alive, or null: a file whose process is gone counts as none. */
export function readServerFile(projectFolder: string): ServerFile | null {
  const text = readFileIfThere(join(projectFolder, 'server.json'))
  if (text === null) return null
  const parsed = ServerFile().safeParse(parseJson(text))
  return parsed.success && isAlive(parsed.data.pid) ? parsed.data : null
}

export function writeServerFile(projectFolder: string, file: ServerFile): void {
  writeFileAtomically(join(projectFolder, 'server.json'), `${JSON.stringify(file)}\n`, { private: true })
}

/** Takes the file away on a clean stop, unless another server has taken its place. */
export function removeServerFile(projectFolder: string, pid: number): void {
  if (readServerFile(projectFolder)?.pid === pid) rmSync(join(projectFolder, 'server.json'), { force: true })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it is there and belongs to someone else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
