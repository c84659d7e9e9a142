import type { Json, JsonObject } from '../../kernel/json.ts'
import type { Backups } from './backups.ts'
import { PreflightIncomplete } from './errors.ts'
import { type BackupRecord, type DryRun, STEPS, type Step, type Target } from './types.ts'

/** What the other rooms bring: the record, the judgement, the execution. */
export interface PreflightPorts {
  /** Writes one step down before the next may begin. */
  record: (step: Step, data: JsonObject) => Promise<void>
  /** Whether the brief lists, or a person approved, exactly this command. The steps so far are judged with it. */
  authorise: (at: { digest: string; done: readonly Step[] }) => Promise<{ allowed: boolean; listed_as: string; reason: string }>
  /** The one effect: reserved, run once, settled. */
  execute: () => Promise<Json>
  verify: () => Promise<{ green: boolean; exit: number | null }>
}

export interface PreflightOperation {
  /** Digest of the command, the same in every step. */
  digest: string
  target: Target
  /** One line that names what is touched and what cannot be undone. */
  blast: string
}

export interface PreflightResult {
  backup: BackupRecord | null
  result: Json
  verified: boolean
}

const BLAST = { least: 1, most: 200 }

/** Takes a destructive operation through its steps. Throws `preflight-incomplete` before anything is executed where one of
 *  them fails; after the execution nothing is thrown away and nothing is brought back by itself. */
export async function carryOutDestructive(
  operation: PreflightOperation,
  backups: Backups,
  ports: PreflightPorts,
): Promise<PreflightResult> {
  const { digest, target, blast } = operation
  const done: Step[] = []
  const step = async <T>(name: Step, work: () => Promise<{ value: T; data: JsonObject }>): Promise<T> => {
    if (STEPS[done.length] !== name) throw new PreflightIncomplete(name, 'it is out of order')
    try {
      const { value, data } = await work()
      await ports.record(name, { digest, ...data })
      done.push(name)
      return value
    } catch (cause) {
      throw cause instanceof PreflightIncomplete
        ? cause
        : new PreflightIncomplete(name, cause instanceof Error ? cause.message : String(cause), { cause })
    }
  }
  await step('dry-run-written', () => Promise.resolve({ value: null, data: { class: target.class } }))
  await step('dry-run-captured', async () => {
    const run = await dryRunOf(target, backups)
    return { value: run, data: { command: run.command, count: run.lines.length, amount: run.amount, lines: run.lines.slice(0, 200) } }
  })
  await step('blast-stated', () => {
    const fits = blast.length >= BLAST.least && blast.length <= BLAST.most && !/[\r\n]/.test(blast)
    if (!fits) throw new PreflightIncomplete('blast-stated', `it must be one line of ${BLAST.least} to ${BLAST.most} characters`)
    return Promise.resolve({ value: null, data: { blast_radius: blast } })
  })
  await step('authorised', async () => {
    const answer = await ports.authorise({ digest, done: [...done] })
    if (!answer.allowed) throw new PreflightIncomplete('authorised', answer.reason)
    return { value: null, data: { listed_as: answer.listed_as } }
  })
  const backup = await step('backed-up', async () => {
    if (target.class === 'outside') return { value: null, data: { backup: null, note: 'cannot be undone' } }
    const record = await backups.make(target)
    return { value: record, data: { backup: { ...record } } }
  })
  // From here on it may have happened: what fails is told as it is, and never as "not executed".
  const result = await ports.execute()
  await ports.record('executed', { digest, result })
  const { green, exit } = await ports.verify()
  await ports.record('verified', { digest, green, exit })
  return { backup, result, verified: green }
}

function dryRunOf(target: Target, backups: Backups): Promise<DryRun> {
  return target.class === 'outside' ? Promise.resolve({ command: 'none', lines: ['cannot be undone'], amount: 0 }) : backups.dryRun(target)
}
