import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { performance } from 'node:perf_hooks'
import type { RunEvent } from '../runs/follow.ts'
import { FILES, SCRIPT, VERIFY } from './scene.ts'
import { DemoFailed, qed, qedEvents, runTool, type Stage } from './stage.ts'

// The demo: a worker says done and it is not so; QED refuses it, the worker mends its work, and the proof of that can be checked
// by anyone. Real processes of the real program; only the worker's words come from a script.

export interface DemoStep {
  name: string
  ok: boolean
  ms: number
  /** What there was to see. */
  shown: string
}

/** What the demo tells while it plays. */
export type DemoEvent =
  | { type: 'demo.step'; data: { n: number; of: number; name: string; command: string | null } }
  | { type: 'demo.event'; data: RunEvent }
  | { type: 'demo.ended'; data: DemoStep }

interface Play extends Stage {
  tell: (event: DemoEvent) => void | Promise<void>
  /** The events of the run, which two steps watch. */
  run: AsyncGenerator<StreamEvent> | null
  /** The attestation of the proof that held. */
  attestation: string
}

type StreamEvent = RunEvent | { type: 'result'; data: FixResult } | { type: 'error'; error: { message: string } }
type Judged = { verdict: string; findings: { id: string; path?: string; line?: number }[] }
type FixResult = { run: { outcome: string }; changed: string[]; proof: { attestation: { file: string; keyid: string } | null } | null }
type Checked = { outcome: string; reason: string; signer: { keyid: string } | null; changed: string[] }

type Step = { name: string; command: string | null; play: (play: Play) => Promise<string> }

const GOAL = 'the failing test'
const SCOPE = ['--scope', 'src/**', '--scope', 'test/**', '--verify', VERIFY]

const STEPS: readonly Step[] = [
  { name: 'What this machine has', command: 'qed doctor', play: lookAround },
  { name: 'A repository with a failing test', command: VERIFY, play: makeRepository },
  {
    name: 'The worker weakens the test and says done; QED does not believe it',
    command: `qed fix "${GOAL}" --scope 'src/**' --scope 'test/**' --verify '${VERIFY}'`,
    play: playLie,
  },
  { name: 'With the findings in hand the worker mends the code; the proof holds', command: null, play: playMending },
  { name: 'Anyone can check the signed attestation', command: 'qed proof check .', play: checkProof },
  { name: 'A copy of it in which one digit was changed', command: 'qed proof check copy.jsonl', play: checkTampered },
  { name: 'A line added after the proof', command: 'qed proof check .', play: checkEdited },
  { name: 'Everything is in the log, and every link of it holds', command: 'qed events verify', play: verifyLog },
]

/** Plays every step with real processes, telling what happens as it happens; stops at the first that fails. Leaves nothing behind. */
export async function walk(
  { self, env, processes }: Pick<Stage, 'self' | 'env' | 'processes'>,
  signal: AbortSignal,
  tell: Play['tell'],
): Promise<DemoStep[]> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'qed-demo-')))
  const play: Play = { ...stageIn(folder, self, env), processes, signal, tell, run: null, attestation: '' }
  const steps: DemoStep[] = []
  try {
    for (const [i, step] of STEPS.entries()) {
      signal.throwIfAborted()
      await tell({ type: 'demo.step', data: { n: i + 1, of: STEPS.length, name: step.name, command: step.command } })
      const played = await playStep(step, play)
      steps.push(played)
      await tell({ type: 'demo.ended', data: played })
      if (!played.ok) break
    }
    return steps
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A home of its own, and the Node that runs this at hand also inside the sandbox, wherever it lies. */
function stageIn(folder: string, self: string[], env: Stage['env']): Pick<Stage, 'folder' | 'repository' | 'env' | 'self'> {
  const own = {
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_DATA_HOME: join(folder, 'data'),
    XDG_CACHE_HOME: join(folder, 'cache'),
  }
  const node = dirname(self[0] ?? '')
  const repository = join(folder, 'shop')
  write(join(folder, 'script.json'), JSON.stringify(SCRIPT))
  write(join(own.XDG_CONFIG_HOME, 'qed', 'config.json'), JSON.stringify({ sandbox: { home_read: [node] } }))
  for (const [path, text] of Object.entries(FILES)) write(join(repository, path), text)
  return { folder, repository, self, env: { ...env, ...own, PATH: `${node}:${env['PATH'] ?? ''}`, QED_RUN: undefined } }
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

async function playStep(step: Step, play: Play): Promise<DemoStep> {
  const started = performance.now()
  const done = (ok: boolean, shown: string): DemoStep => ({ name: step.name, ok, ms: Math.round(performance.now() - started), shown })
  try {
    return done(true, await step.play(play))
  } catch (error) {
    return done(false, error instanceof Error ? error.message : String(error))
  }
}

async function lookAround(play: Play): Promise<string> {
  type Check = { id: string; status: string; summary: string; fix?: string }
  const { answer } = await qed<{ checks: Check[] }>(play, 'doctor')
  const needed = answer.checks.filter(({ id }) => ['node', 'git', 'bubblewrap'].includes(id))
  const lacking = needed.find(({ status }) => status !== 'ok')
  if (!lacking) return needed.map(({ summary }) => summary).join(', ')
  throw new DemoFailed(`${lacking.summary}. The demo runs commands in a sandbox and needs it. ${lacking.fix ?? 'qed doctor tells more.'}`)
}

async function makeRepository(play: Play): Promise<string> {
  const git = ['git', '-c', 'user.name=demo', '-c', 'user.email=demo@localhost', '-c', 'init.defaultBranch=main']
  for (const args of [
    ['init', '--quiet'],
    ['add', '--all'],
    ['commit', '--quiet', '--message', 'A shop'],
  ]) {
    const { exit, stderr } = await runTool(play, [...git, ...args])
    if (exit !== 0) throw new DemoFailed(`git ${args[0]} failed: ${stderr.text}`)
  }
  await qed(play, 'init')
  const { exit } = await runTool(play, VERIFY.split(' '))
  if (exit !== 1) throw new DemoFailed(`the test should fail and ended with ${exit}`)
  return `exit ${exit}: two apples at 3 each should cost 6, and cost 3`
}

/** Watches the run until `isOver`; what it does not tell is an error. */
async function watch<T>(play: Play, over: (event: StreamEvent) => T | undefined): Promise<T> {
  play.run ??= qedEvents<StreamEvent>(play, 'fix', GOAL, ...SCOPE, '--model', `script:${join(play.folder, 'script.json')}`)
  for (;;) {
    const { value, done } = await play.run.next()
    if (done === true) throw new DemoFailed('the run ended before there was anything to see')
    if ('error' in value) throw new DemoFailed(value.error.message)
    if ('at' in value) await play.tell({ type: 'demo.event', data: value })
    const found = over(value)
    if (found !== undefined) return found
  }
}

const judgement = ({ type, ...event }: StreamEvent): Judged | undefined =>
  type === 'proof.judged' && 'data' in event ? (event.data as unknown as Judged) : undefined

async function playLie(play: Play): Promise<string> {
  const { verdict, findings } = await watch(play, judgement)
  if (verdict !== 'not_proven') throw new DemoFailed('a weakened test was taken for a proof')
  const named = [...new Set(findings.map(({ id }) => id))]
  return `refused, as it must be: ${named.join(', ')}`
}

async function playMending(play: Play): Promise<string> {
  const { run, changed, proof } = await watch(play, event =>
    event.type === 'result' && 'data' in event ? (event.data as FixResult) : undefined,
  )
  if (run.outcome !== 'proven' || !proof?.attestation) throw new DemoFailed(`the run ended ${run.outcome}`)
  play.attestation = resolve(play.repository, proof.attestation.file)
  return `proven: red before, green after; changed ${changed.join(', ')}; signed by ${proof.attestation.keyid.slice(0, 16)}`
}

async function check(play: Play, target: string): Promise<{ exit: number; answer: Checked }> {
  return qed<Checked>(play, 'proof', 'check', target)
}

async function checkProof(play: Play): Promise<string> {
  const { exit, answer } = await check(play, '.')
  if (exit !== 0) throw new DemoFailed(`the attestation should be valid: ${answer.outcome}, ${answer.reason}`)
  return `${answer.outcome}: ${answer.reason}`
}

async function checkTampered(play: Play): Promise<string> {
  const copy = join(play.folder, 'copy.jsonl')
  writeFileSync(copy, tampered(readFileSync(play.attestation, 'utf8')))
  const { exit, answer } = await check(play, copy)
  if (exit === 0) throw new DemoFailed('a changed attestation was taken for valid')
  return `refused, as it must be: ${answer.outcome}, ${answer.reason.replaceAll(copy, 'copy.jsonl')}`
}

/** The same envelope about another tree. */
function tampered(text: string): string {
  const [line = ''] = text.split('\n')
  const envelope = JSON.parse(line) as { payload: string }
  const statement = Buffer.from(envelope.payload, 'base64').toString('utf8')
  const changed = statement.replace(
    /("gitTree":"|"gitCommit":"|"sha1":")([0-9a-f])/,
    (_, key: string, digit: string) => `${key}${digit === '0' ? '1' : '0'}`,
  )
  return `${JSON.stringify({ ...envelope, payload: Buffer.from(changed).toString('base64') })}\n`
}

async function checkEdited(play: Play): Promise<string> {
  writeFileSync(join(play.repository, 'src/total.js'), `${readFileSync(join(play.repository, 'src/total.js'), 'utf8')}// a late thought\n`)
  const { exit, answer } = await check(play, '.')
  if (exit === 0) throw new DemoFailed('a tree that was never measured was taken for proven')
  return `refused, as it must be: ${answer.outcome}, ${answer.reason}`
}

async function verifyLog(play: Play): Promise<string> {
  const { exit, answer } = await qed<{ count: number; head: { hash: string } }>(play, 'events', 'verify')
  if (exit !== 0) throw new DemoFailed('the log does not hold')
  return `${answer.count} events, each bound to the one before it, head ${answer.head.hash.slice(0, 16)}`
}
