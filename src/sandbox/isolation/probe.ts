import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseJson } from '../../kernel/json.ts'
import { bubblewrapArguments, type SandboxPlan } from './bubblewrap-arguments.ts'
import type { CheckResult } from './report.ts'

export interface ProbeRun {
  /** Arguments of bubblewrap. */
  args: string[]
  cwd: string
}

export type ProbeAnswer = { kind: 'checked'; checks: Record<string, CheckResult> } | { kind: 'failed'; message: string }

/** Runs inside the sandbox; prints one JSON object. Each attempt that gets through is told, none ends the others. */
const SCRIPT = String.raw`
const fs = require('node:fs'), net = require('node:net'), { spawnSync } = require('node:child_process')
const [owned, outside, port, socket, pid, masked, cookie] = process.argv.slice(1)
const gets = act => { try { act(); return true } catch { return false } }
const connects = where => new Promise(settle => {
  const s = net.connect(where); const end = got => { s.destroy(); settle(got) }
  s.once('connect', () => end(true)).once('error', () => end(false)); setTimeout(end, 1000, false).unref()
})
;(async () => {
  const nested = spawnSync('bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true'])
  console.log(JSON.stringify({
    owned_write: gets(() => fs.writeFileSync(owned, cookie)),
    outside_write: gets(() => fs.writeFileSync(outside, cookie)),
    // Opened only: a probe must not change what it finds open.
    kernel_settings: gets(() => fs.closeSync(fs.openSync('/proc/sys/kernel/core_pattern', fs.constants.O_WRONLY))),
    loopback: await connects({ host: '127.0.0.1', port: Number(port) }),
    unix_socket: await connects({ path: socket }),
    qed_pid: gets(() => fs.readFileSync('/proc/' + pid + '/cmdline')) || gets(() => process.kill(Number(pid), 0)),
    masked_file: gets(() => { if (!fs.readFileSync(masked, 'utf8').includes(cookie)) throw new Error('empty') }),
    userns: nested.error ? null : nested.status === 0,
  }))
})()`

/** The one attempt that must get through; all others must not. */
const MUST_SUCCEED = 'owned_write'

/** Tries the walls from inside: opens things that must be out of reach, and lets a process try to reach them. */
export async function tryWalls(
  run: (probe: ProbeRun) => Promise<{ reached: boolean; stdout: string; stderr: string }>,
  options: { disableUserns: boolean; home: string },
): Promise<ProbeAnswer> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'qed-probe-')))
  const opened: Server[] = []
  try {
    const cookie = randomBytes(16).toString('hex')
    const [place, outside, blank] = ['place', 'outside', 'blank.d'].map(name => join(folder, name)) as [string, string, string]
    for (const path of [place, join(place, 'owned'), outside, blank]) mkdirSync(path)
    writeFileSync(join(place, '.env'), cookie)
    writeFileSync(join(folder, 'blank'), '')
    const tcp = await listening(createServer(), { host: '127.0.0.1', port: 0 }, opened)
    const unix = join(outside, 'socket')
    await listening(createServer(), { path: unix }, opened)
    const node = realpathSync(process.execPath)
    const plan: SandboxPlan = {
      network: 'off',
      disableUserns: options.disableUserns,
      covered: [...new Set(['/tmp', '/var/tmp', '/run', options.home])],
      homeRead: [node],
      project: outside,
      place,
      coveredAgain: [],
      writable: [join(place, 'owned')],
      readOnly: [],
      layers: [],
      gitFolders: [],
      masks: [
        { path: join(place, '.env'), kind: 'file' },
        { path: unix, kind: 'file' },
      ],
      blank: { file: join(folder, 'blank'), folder: blank },
      secrets: [],
      cwd: place,
      argv: [
        node,
        '-e',
        SCRIPT,
        join(place, 'owned', 'x'),
        join(outside, 'x'),
        String(tcp),
        unix,
        String(process.pid),
        join(place, '.env'),
        cookie,
      ],
    }
    const { reached, stdout, stderr } = await run({ args: bubblewrapArguments(plan), cwd: folder })
    const answers = parseJson(stdout.trim()) as Record<string, boolean | null> | undefined
    if (!reached || !answers) return { kind: 'failed', message: stderr.trim().split('\n').at(-1) || 'bubblewrap ended without a word' }
    return { kind: 'checked', checks: Object.fromEntries(Object.entries(answers).map(([name, got]) => [name, verdict(name, got)])) }
  } finally {
    for (const server of opened) server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function verdict(name: string, got: boolean | null): CheckResult {
  if (got === null) return 'skipped'
  return got === (name === MUST_SUCCEED) ? 'pass' : 'fail'
}

function listening(server: Server, where: { host: string; port: number } | { path: string }, opened: Server[]): Promise<number> {
  opened.push(server)
  server.on('connection', socket => socket.destroy())
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(where, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : 0)
    })
  })
}
