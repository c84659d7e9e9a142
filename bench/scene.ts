import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '..')
export const BIN = join(ROOT, 'bin/qed')
/** The Node that `bin/qed` would start. */
export const NODE = process.execPath

export interface Scene {
  folder: string
  project: string
  env: Record<string, string>
}

/** A fresh project with a home of its own. */
export function makeScene(): Scene {
  const folder = mkdtempSync(join(tmpdir(), 'qed-bench-'))
  const project = join(folder, 'project')
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, LANG: 'C.UTF-8' }
  execFileSync('git', ['init', '--quiet', project], { env })
  execFileSync(BIN, ['init'], { cwd: project, env, stdio: 'ignore' })
  return { folder, project, env }
}

export function clearScene({ folder }: Scene): void {
  rmSync(folder, { recursive: true, force: true })
}

/** Runs a command to its end; rejects when it fails, so that nothing broken is ever measured as fast. */
export function run(command: string, args: string[], options: { cwd: string; env: Record<string, string> }): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: 'ignore' })
    child
      .on('error', reject)
      .on('exit', code => (code === 0 ? resolve() : reject(new Error(`${command} ${args.join(' ')} ended with ${code}`))))
  })
}
