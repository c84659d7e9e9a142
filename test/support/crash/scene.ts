import { cpSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Event } from '../../../src/kernel/event.ts'
import { rebuildLoop } from '../../../src/runs/rebuild.ts'
import { chainDigest } from '../../../src/runs/recorder.ts'
import { createBlobs } from '../../../src/store/blobs.ts'
import { temporaryFolder } from '../folders.ts'
import { workIn } from '../proving.ts'
import { qed, type Ran } from '../qed.ts'
import { eventsIn, openReadOnly } from '../run-store.ts'

const DYING = join(import.meta.dirname, 'dying-qed.ts')
export const USAGE = { input: 100, output: 10 }

type Call = { name: string; arguments: Record<string, unknown> }

/** A turn of the script whose shell call puts one line into a file. It reads a mark first: if it is told that nobody knows
 *  whether the call ran, the mark says which one it was, and the model looks before it repeats it. */
function appending(n: number): { turn: Call[]; after: { sees: string; calls: Call[] } } {
  const mark: Call = { name: 'read', arguments: { path: `marks/${n}` } }
  const line = `line-${n}`
  const shell = (command: string): Call => ({ name: 'bash', arguments: { command } })
  return {
    turn: [mark, shell(`echo ${line} >> work/lines`)],
    after: {
      sees: `mark-${n}\\b.*Interrupted: it is not known`,
      calls: [mark, shell(`grep -qx ${line} work/lines || echo ${line} >> work/lines`)],
    },
  }
}

/** What a script does: shell lines, files and edits, in turns; the last one says done. */
export interface Plan {
  turns: Call[][]
  afterCrash: { sees: string; calls: Call[] }[]
  lines: string[]
  files: Record<string, string>
}

/** `turns` turns that write a file, add a line and edit the file, one after the other. */
export function planOf(turns: number): Plan {
  const plan: Plan = { turns: [], afterCrash: [], lines: [], files: {} }
  for (let n = 0; plan.turns.length < turns - 1; n++) {
    const path = `work/file-${n}`
    if (n % 3 === 0) plan.turns.push([{ name: 'write', arguments: { path, content: `content of ${n}\n` } }])
    if (n % 3 === 0) plan.files[path] = `content of ${n}\n`
    if (n % 3 === 1) {
      const { turn, after } = appending(n)
      plan.turns.push(turn)
      plan.afterCrash.push(after)
      plan.lines.push(`line-${n}`)
    }
    if (n % 3 === 2) {
      const edited = `work/file-${n - 2}`
      plan.turns.push([{ name: 'edit', arguments: { path: edited, search: 'content', replace: `edited by ${n}, content` } }])
      plan.files[edited] = `edited by ${n}, content of ${n - 2}\n`
    }
  }
  return plan
}

export interface Scene {
  root: string
  run: (args: string[]) => Promise<Ran>
  /** The program from its sources, dying at a point. */
  dying: (point: string, args: string[]) => Promise<Ran>
  env: Record<string, string>
  script: string
}

/** A project made once, copied for every crash. */
export async function scenes(plan: Plan): Promise<() => Scene> {
  const marks = plan.lines.map(line => line.slice('line-'.length)).map(n => [`marks/${n}`, `mark-${n}\n`] as const)
  const { root, env, qed: own } = workIn({ 'work/lines': '', ...Object.fromEntries(marks) })
  await own(['init'])
  const script = join(env['HOME'] ?? '', 'script.json')
  const turns = [
    ...plan.afterCrash.map(({ sees, calls }) => ({ when: { sees, times: 99 }, calls, usage: USAGE })),
    ...plan.turns.map(calls => ({ calls, usage: USAGE })),
    { calls: [{ name: 'update', arguments: { status: 200, body: 'All is done.' } }], usage: USAGE },
  ]
  writeFileSync(script, JSON.stringify({ scripts: { main: { turns } } }))
  return () => {
    const copy = join(temporaryFolder(), 'r')
    cpSync(root, copy, { recursive: true })
    const at = { cwd: copy, env, timeout: 60_000 }
    const dying: Scene['dying'] = (point, args) => qed(args, { ...at, command: [process.execPath, DYING, point] })
    return { root: copy, env, script, run: args => qed(args, at), dying }
  }
}

export const workArgs = ({ script }: Scene): string[] => [
  'fix',
  'do it',
  '--scope',
  'work/**',
  '--model',
  `script:${script}`,
  '--json',
  '--max-tool-calls',
  '99',
  '--max-tokens',
  '900000',
]

export interface Left {
  status: string
  outcome: string | null
  lines: string[]
  files: Record<string, string>
  strangers: string[]
  processes: string[]
  open: number
  node: { settled: Record<string, number>; reserved: object; closed: number }
  events: Event[]
}

/** Everything that a run has left, looked at from outside. */
export function lookAt({ root }: Pick<Scene, 'root'>): Left {
  const db = openReadOnly(root)
  const row = db.prepare('SELECT record FROM runs').get() as { record: string } | undefined
  const run = JSON.parse(row?.record ?? '{"id":"","status":"none","outcome":null}') as Pick<Left, 'status' | 'outcome'> & { id: string }
  const node = db.prepare('SELECT settled, reserved, closed FROM budget_nodes WHERE id = ?').get(run.id) as
    | { settled: string; reserved: string; closed: number }
    | undefined
  const { n } = db.prepare(`SELECT count(*) AS n FROM attempts WHERE status = 'reserved'`).get() as { n: number }
  db.close()
  const names = readdirSync(join(root, 'work'))
  const files = Object.fromEntries(
    names.filter(name => name.startsWith('file-')).map(name => [`work/${name}`, readFileSync(join(root, 'work', name), 'utf8')]),
  )
  return {
    status: run.status,
    outcome: run.outcome,
    lines: readFileSync(join(root, 'work/lines'), 'utf8').split('\n').filter(Boolean),
    files,
    strangers: names.filter(name => !/^(lines|file-\d+)$/.test(name)),
    processes: processesIn(root),
    open: n,
    node: {
      settled: JSON.parse(node?.settled ?? '{}') as Record<string, number>,
      reserved: JSON.parse(node?.reserved ?? '{}') as object,
      closed: node?.closed ?? 0,
    },
    events: eventsIn(root),
  }
}

/** Commands of living processes that work in a folder. */
function processesIn(root: string): string[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(pid => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`).startsWith(root) ? [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')] : []
      } catch {
        return []
      }
    })
}

/** L-39: the requests whose messages cannot be rebuilt from the events before them. */
export function notRebuilt({ root }: Pick<Scene, 'root'>, events: readonly Event[]): number[] {
  const blobs = createBlobs(join(root, '.qed/blobs'))
  const own = events.filter(({ stream }) => stream.startsWith('run:'))
  return own.flatMap((event, i) =>
    event.type === 'turn.requested' && chainDigest()(rebuildLoop(own.slice(0, i), blobs)?.messages ?? []) !== event.data['digest']
      ? [event.seq]
      : [],
  )
}
