import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { systemClock } from '../../src/kernel/clock.ts'
import type { RunId } from '../../src/kernel/ids.ts'
import { newId } from '../../src/kernel/new-id.ts'
import { redactText } from '../../src/policy/secrets/redact.ts'
import type { ProcessOutcome, ProcessSpec } from '../../src/sandbox/process/types.ts'
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/sandbox.ts'
import { temporaryFolder } from '../support/folders.ts'
import { NODE_FOLDER } from '../support/node-folder.ts'

export const NODE = process.execPath

export interface Bench extends Sandbox {
  folder: string
  run_id: RunId
  /** Where commands run unless they say otherwise. */
  place: string
  spec: (command: string | string[], more?: Partial<ProcessSpec>) => ProcessSpec
  run: (command: string | string[], more?: Partial<ProcessSpec>) => Promise<ProcessOutcome>
}

/** A sandbox of its own for one test. Afterwards no process that it started may be left. */
export function bench(options: Partial<SandboxOptions> = {}): Bench {
  const folder = temporaryFolder()
  const token = `QED_TEST_TOKEN=${randomBytes(8).toString('hex')}`
  const [name, value] = token.split('=') as [string, string]
  const home = join(folder, 'home')
  const place = join(folder, 'place')
  for (const path of [home, place]) mkdirSync(path)
  const sandbox = createSandbox({
    env: { PATH: process.env['PATH'] },
    home,
    personal: join(folder, 'personal'),
    project: null,
    require: 'none',
    program: 'no-such-bwrap',
    redact: redactText,
    clock: systemClock,
    homeRead: NODE_FOLDER,
    ...options,
  })
  const run_id = newRun()
  onTestFinished(async () => {
    await sandbox.processes.endRun(run_id)
    expect(carriers(token)).toEqual([])
  })
  const spec: Bench['spec'] = (command, more = {}) => ({
    argv: typeof command === 'string' ? { shell: command } : command,
    cwd: place,
    profile: 'worker',
    writable: options.program === undefined ? {} : { place },
    timeout_ms: 20_000,
    keep: { head: 32 << 10, tail: 32 << 10 },
    run_id,
    ...more,
    env: { [name]: value, ...more.env },
  })
  return {
    ...sandbox,
    folder,
    place,
    run_id,
    spec,
    run: (command, more) => sandbox.processes.run(spec(command, more)),
  }
}

export function newRun(): RunId {
  return newId('run', systemClock)
}

/** Processes whose environment holds a text. */
export function carriers(text: string): string[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter(pid => {
      try {
        return (
          readFileSync(`/proc/${pid}/environ`, 'latin1').includes(text) && !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
        )
      } catch {
        return false
      }
    })
}

export function isAlive(pid: number): boolean {
  try {
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** Looks until it holds; for what another process does and nobody tells. */
export async function until(holds: () => boolean, mostMs = 5000): Promise<void> {
  const end = Date.now() + mostMs
  while (!holds()) {
    if (Date.now() > end) throw new Error('it did not come true in time')
    await new Promise(settle => setTimeout(settle, 10))
  }
}

export function write(root: string, files: Record<string, string | Buffer>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
}

export function git(root: string, ...args: string[]): string {
  return execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'commit.gpgsign=false', ...args], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim()
}

/** A repository with one commit of these files. */
export function repository(files: Record<string, string | Buffer>): string {
  const root = temporaryFolder()
  git(root, 'init', '--quiet', '-b', 'main')
  write(root, files)
  git(root, 'add', '-A')
  git(root, 'commit', '--quiet', '-m', 'base')
  return root
}
