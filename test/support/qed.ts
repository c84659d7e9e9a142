import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import { temporaryFolder, temporaryRepository } from './folders.ts'

export const BIN = join(import.meta.dirname, '../../bin/qed')

export interface Ran {
  exit: number | null
  stdout: string
  stderr: string
}

/** An environment of its own: no settings, keys or stores of whoever runs the tests. */
export function cleanEnv(home = temporaryFolder()): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: home, LANG: 'C.UTF-8', QED_CHECK_OUTPUT: '1' }
}

export interface RunOptions {
  cwd?: string
  env?: Record<string, string>
  stdin?: string
  command?: string[]
  /** Most milliseconds; then it is killed and its exit is null. */
  timeout?: number
}

/** Runs the built `qed` as a user would. */
export function qed(args: string[], options: RunOptions = {}): Promise<Ran> {
  const [command = BIN, ...before] = options.command ?? [BIN]
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...before, ...args], {
      cwd: options.cwd ?? temporaryFolder(),
      env: options.env ?? cleanEnv(),
      stdio: 'pipe',
      timeout: options.timeout ?? 20_000,
      killSignal: 'SIGKILL',
    })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
    child.on('error', reject).on('close', exit => resolve({ exit, stdout, stderr }))
    child.stdin.on('error', () => undefined).end(options.stdin ?? '')
  })
}

/** Runs a shell command on a terminal of its own. */
export function inTerminal(command: string, env: Record<string, string>, cwd: string, answer = '') {
  return spawnSync('script', ['--quiet', '--return', '--echo', 'never', '--command', command, '/dev/null'], {
    cwd,
    env,
    encoding: 'utf8',
    input: answer,
    timeout: 20_000,
  })
}

export interface AtTerminal {
  /** Types as a person does; `\x03` is Ctrl-C. */
  type(keys: string): void
  /** Waits until the screen has shown this, and gives everything that was shown. */
  until(pattern: RegExp): Promise<string>
  /** The exit code and everything that was shown. */
  ended: Promise<{ exit: number | null; shown: string }>
}

/** Runs a shell command on a terminal of its own, 100 columns wide, while the test types into it. */
export function atTerminal(command: string, env: Record<string, string>, cwd: string): AtTerminal {
  const child = spawn('script', ['--quiet', '--return', '--command', `stty cols 100 rows 40; exec ${command}`, '/dev/null'], {
    cwd,
    env: { ...env, TERM: 'xterm' },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let shown = ''
  child.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()))
  return {
    type: keys => void child.stdin.write(keys),
    until: async pattern => {
      await vi.waitUntil(() => pattern.test(shown), { timeout: 20_000, interval: 20 })
      return shown
    },
    ended: new Promise(resolve => child.on('close', exit => resolve({ exit, shown }))),
  }
}

export interface TestProject {
  root: string
  env: Record<string, string>
  run(args: string[], options?: Omit<RunOptions, 'cwd' | 'env'>): Promise<Ran>
  json(args: string[]): Promise<unknown>
}

/** A repository in which `qed init` was run. */
export async function testProject(): Promise<TestProject> {
  const root = temporaryRepository()
  const env = cleanEnv()
  const run: TestProject['run'] = (args, options) => qed(args, { ...options, cwd: root, env })
  const project: TestProject = { root, env, run, json: async args => JSON.parse((await run([...args, '--json'])).stdout) as unknown }
  await run(['init'])
  return project
}

export interface TestServer {
  port: number
  token: string
  url: string
  stop(): Promise<number | null>
}

/** `qed serve` in a project, stopped after the test. */
export async function testServer(project: TestProject, args: string[] = [], env: Record<string, string> = {}): Promise<TestServer> {
  const child = spawn(BIN, ['serve', '--json', ...args], {
    cwd: project.root,
    env: { ...project.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = new Promise<number | null>(resolve => child.on('exit', resolve))
  const stop = (): Promise<number | null> => {
    child.kill('SIGTERM')
    return exited
  }
  onTestFinished(async () => void (await stop()))
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()))
    void exited.then(code => reject(new Error(`qed serve ended with ${code}`)))
  })
  const { port, url } = JSON.parse(line) as { port: number; url: string }
  const { readServerFile } = await import('../../src/project/server-file.ts')
  return { port, url, stop, token: readServerFile(join(project.root, '.qed'))?.token ?? '' }
}
