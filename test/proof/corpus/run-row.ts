import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../../src/kernel/clock.ts'
import { newId } from '../../../src/kernel/new-id.ts'
import { sha256 } from '../../../src/kernel/sha256.ts'
import { createProofs, type Proven } from '../../../src/proof/service/proofs.ts'
import { createRunProofs, type ProveRunRequest, type RanCommand } from '../../../src/proof/service/prove-run.ts'
import type { ProofTerms } from '../../../src/proof/terms.ts'
import { createKeeping } from '../../../src/sandbox/keeping.ts'
import type { ProcessOutcome, ProcessSpec } from '../../../src/sandbox/process/types.ts'
import type { Mode, Row, Seen, Worker } from './row.ts'
import { STACKS } from './stacks.ts'
import { editFile, git, type World, writeFiles } from './world.ts'

/** What became of one row in one mode. */
export interface Outcome {
  row: Row
  mode: Mode
  ms: number
  verdict: string
  causes: string[]
  /** `severity id path (measured)`, each. */
  findings: string[]
  /** Why it is not as the table says; null where it is. */
  fault: string | null
}

/** Lets the worker do it, really, and proves it. */
export async function runRow(world: World, row: Row, mode: Mode): Promise<Outcome> {
  const started = performance.now()
  const done = (more: Pick<Outcome, 'verdict' | 'causes' | 'findings' | 'fault'>): Outcome => ({
    row,
    mode,
    ms: Math.round(performance.now() - started),
    ...more,
  })
  try {
    const seen = await proveRow(world, row, mode)
    const { verdict, causes, findings } = seen.proof
    const named = findings.map(({ severity, id, path, measured }) =>
      [severity, id, path, measured && `(${measured})`].filter(Boolean).join(' '),
    )
    return done({ verdict, causes, findings: named, fault: faultOf(row, mode, seen) ?? (await row.holds?.(seen)) ?? null })
  } catch (error) {
    return done({
      verdict: 'none',
      causes: [],
      findings: [],
      fault: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
  }
}

/** A lie must be refused for the reason that the table gives, never because nothing could be measured; honest work must not be. */
function faultOf(row: Row, mode: Mode, { proof }: Seen): string | null {
  const { caught } = row
  if (proof.causes.includes('environment') || proof.causes.includes('interrupted')) return `not measured: ${proof.causes.join(', ')}`
  if (caught === undefined) {
    const wanted = new Set(row.reviews)
    const wrong = proof.findings.filter(({ id, severity }) => severity !== 'info' && !wanted.has(id))
    if (wrong.length > 0) return `refused: ${wrong.map(({ id }) => id).join(', ')}`
    return (proof.verdict === 'proven') === (wanted.size === 0) ? null : `the verdict is ${proof.verdict}`
  }
  const expected = isList(caught) ? caught : caught[mode]
  if (expected.length === 0) return null
  const missing = expected.filter(id => !proof.findings.some(finding => finding.id === id))
  if (missing.length > 0) return `not found: ${missing.join(', ')}`
  return proof.verdict === 'not_proven' ? null : 'it was proven'
}

function isList(value: NonNullable<Row['caught']>): value is readonly string[] {
  return Array.isArray(value)
}

const OWN_BRIEF = { context: { base: 'main' } }

async function proveRow(world: World, row: Row, mode: Mode): Promise<Seen> {
  const name = `${row.id}-${mode}`
  const root = world.repository(name, row.stack, row.base ?? {})
  writeFiles(root, row.checkout ?? {})
  const home = join(world.folder, 'homes', name)
  const outside = join(world.folder, 'outside', name)
  for (const folder of [home, outside]) mkdirSync(folder, { recursive: true })
  const ports = world.ports(root, { mode, home, include: row.include ?? [] })
  const run = newId('run', systemClock)
  const base = { commit: git(root, 'rev-parse', 'HEAD'), tree: git(root, 'rev-parse', 'HEAD^{tree}') }
  const project = { id: ports.project?.id ?? '', root, gitFolder: join(root, '.git') }
  const { places } = createKeeping({ sandbox: ports.sandbox, project, clock: systemClock, outputs: [], include: row.include ?? [] })
  const place = await places.make({ run, base: base.commit })
  const terms = termsOf(row, run)
  const ran: RanCommand[] = []
  const spec = (command: string, more: Partial<ProcessSpec> = {}): ProcessSpec => ({
    argv: { shell: command },
    cwd: place.path,
    profile: 'worker',
    writable: { place: place.path, owned: terms.scope.owned ?? ['**'], outputs: place.outputs, scratch: place.scratch },
    env: {},
    timeout_ms: 30_000,
    keep: { head: 16 << 10, tail: 16 << 10 },
    run_id: run,
    ...more,
  })
  const note = (command: string, { isolation, ended, escaped }: ProcessOutcome): void => {
    ran.push({ command, isolation, ended, escaped })
  }
  const worker: Worker = {
    mode,
    place: place.path,
    root,
    home,
    outside,
    base,
    write: files => writeFiles(place.path, files),
    edit: (path, from, to) => editFile(place.path, path, { from, to }),
    fix: () => writeFiles(place.path, STACKS[row.stack].fix),
    sh: async command => {
      const outcome = await ports.sandbox.processes.run(spec(command))
      note(command, outcome)
      return outcome
    },
    start: command => {
      void ports.sandbox.processes.run(spec(command, { background: true })).then(outcome => note(command, outcome))
    },
    read: path => readFileSync(join(place.path, path), 'utf8'),
  }
  const runProofs = createRunProofs(ports)
  const before = await runProofs.look({ path: place.path, base })
  await row.act(worker)
  const digest = terms.brief?.digest ?? ''
  const request: ProveRunRequest = {
    run,
    place: { path: place.path, base },
    terms,
    brief: { digest, content: OWN_BRIEF },
    before,
    ran,
    claim: { exit: 0 },
    acceptances: [],
    author: run,
    canaries: [],
    regressions: [],
    destructive: [],
    own: { paths: [], refs: [] },
    isSacred: () => false,
    ...(row.during && { progress: event => row.during?.(event, worker) }),
    ...row.given,
  }
  const again = (): Promise<Proven> => runProofs.prove(request)
  const { proof, lines } = await again()
  return { proof, lines, worker, again, proofs: createProofs(ports) }
}

function termsOf(row: Row, run: string): ProofTerms {
  const { command, scope, gates = [] } = row
  return {
    brief: { id: `brief-${row.id}`, digest: sha256(JSON.stringify(OWN_BRIEF)), mission: null, task: `task-${run}`, run },
    command: {
      text: STACKS[row.stack].verify,
      kind: 'red-green',
      timeout_s: 60,
      network: false,
      repeat: 1,
      hang_is_red: false,
      sabotage: null,
      ...command,
    },
    scope: { owned: ['**'], allow_tests: [], allow_judges: [], allow_dependencies: false, destructive: [], ...scope },
    gates,
  }
}
