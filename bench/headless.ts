import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { transformSync } from 'esbuild'
import { BIN, NODE, type Scene } from './scene.ts'
import type { Seen } from './workers/model-double.ts'

/** What one headless run cost. */
export interface Played {
  wallMs: number
  /** From the start of the process to the first whole request. */
  firstRequestMs: number
  /** From each whole reply to the next whole request: everything that an agent does in a turn. */
  gapsMs: number[]
  firstBytes: number
  bytes: number
  peakMb: number
}

export interface Headless {
  play: (who: 'bare' | 'qed', turns: number) => Promise<Played>
  close: () => void
}

/** Runs agents against a model that answers at once, each in a fresh repository with the same files. */
export async function openHeadless({ folder, env }: Scene): Promise<Headless> {
  const double = fork(join(import.meta.dirname, 'workers/model-double.ts'), { execPath: NODE })
  const [port] = (await once(double, 'message')) as [number]
  const url = `http://127.0.0.1:${port}`
  const home = join(folder, 'headless-home')
  const root = join(folder, 'headless')
  const own = { ...env, HOME: home, QED_MAX_TURNS: '100000', QED_MAX_STALLS: '100000' }
  mkdirSync(join(home, '.config/qed'), { recursive: true })
  const model = { protocol: 'openai-compatible', model: 'double', base_url: `${url}/v1`, context: 10_000_000 }
  writeFileSync(join(home, '.config/qed/config.json'), JSON.stringify({ models: { double: model } }))
  // Not as it lies there: taking out types would be counted as its start.
  const bare = join(home, 'bare-loop.mjs')
  writeFileSync(bare, transformSync(readFileSync(join(import.meta.dirname, 'workers/bare-loop.ts'), 'utf8'), { loader: 'ts' }).code)
  const commands = {
    bare: [NODE, bare, `${url}/v1`, join(home, 'frames.jsonl'), 'Work.'],
    qed: [BIN, 'code', 'Work.', '--scope', '**', '--model', 'double', '--max-tool-calls', '100000', '--max-tokens', '1000000000'],
  }
  return {
    play: async (who, turns) => {
      freshRepository(root, own)
      await fetch(`${url}/script`, { method: 'POST', body: JSON.stringify({ turns, root }) })
      const began = performance.timeOrigin + performance.now()
      const [command = '', ...args] = commands[who]
      const child = spawn(command, args, { cwd: root, env: own, stdio: 'ignore' })
      const peak = watchMemory(child)
      const [code] = (await once(child, 'exit')) as [number]
      const wallMs = performance.timeOrigin + performance.now() - began
      if (code !== 0) throw new Error(`${who} ended with ${code} after ${turns} turns`)
      const seen = (await (await fetch(`${url}/seen`)).json()) as Seen[]
      if (seen.length !== turns + 1) throw new Error(`${who} made ${seen.length} requests instead of ${turns + 1}`)
      return {
        wallMs,
        firstRequestMs: (seen[0]?.came ?? 0) - began,
        gapsMs: seen.slice(1).map(({ came }, i) => came - (seen[i]?.gone ?? 0)),
        firstBytes: seen[0]?.bytes ?? 0,
        bytes: seen.reduce((sum, { bytes }) => sum + bytes, 0),
        peakMb: peak(),
      }
    },
    close: () => double.disconnect(),
  }
}

function freshRepository(root: string, env: Record<string, string>): void {
  rmSync(root, { recursive: true, force: true })
  mkdirSync(join(root, 'src'), { recursive: true })
  mkdirSync(join(root, 'out'))
  for (let i = 0; i < 20; i++)
    writeFileSync(join(root, `src/f${i}.txt`), `line of file ${i}, as long as lines are in most files\n`.repeat(32))
  const git = (...args: string[]): void =>
    void execFileSync('git', ['-C', root, '-c', 'user.name=b', '-c', 'user.email=b@b', ...args], { env })
  git('init', '--quiet')
  git('add', '-A')
  git('commit', '--quiet', '-m', 'files')
}

/** The most memory that a process held, as the kernel counts it. */
function watchMemory({ pid }: ChildProcess): () => number {
  let most = 0
  const look = (): void => {
    try {
      most = Math.max(most, Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024)
    } catch {
      // It has ended.
    }
  }
  const timer = setInterval(look, 15)
  return () => {
    clearInterval(timer)
    return most
  }
}
