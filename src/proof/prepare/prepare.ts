import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { QedError } from '../../kernel/errors.ts'
import type { Git } from '../../sandbox/git/git.ts'
import { layOut } from '../../sandbox/git/private-clone.ts'
import type { TreeEntry } from '../../sandbox/git/tree.ts'
import { OUTSIDE_RUNS } from '../../sandbox/isolation/detect.ts'
import { shellArgv } from '../../sandbox/process/shell-argv.ts'
import type { Processes, ProcessOutcome } from '../../sandbox/process/types.ts'
import type { PrepareFact } from '../facts.ts'
import { CACHES, PREPARE_ENVIRONMENT, prepareCommand, toolsOf } from './commands.ts'
import { layerKey, readInputs } from './inputs.ts'
import type { Layer, Layers } from './layers.ts'
import { CACHE_FOLDER } from './mount-layer.ts'

export interface PrepareParts {
  git: Git
  processes: Pick<Processes, 'run'>
  layers: Layers
  /** Policy, and where it asks, a person: it may load from the network. */
  mayPrepare: (command: string) => Promise<boolean>
  isInstalled: (program: string) => boolean
  signal?: AbortSignal | undefined
}

export interface PrepareJob {
  /** The setting `proof.prepare`; null: by lock file. */
  command: string | null
  base: PrepareTree
  result: PrepareTree
  allow_dependencies: boolean
}

interface PrepareTree {
  tree: string
  entries: ReadonlyMap<string, TreeEntry>
}

export interface Prepared {
  fact: PrepareFact
  layer: Layer | null
}

const TIMEOUT_MS = 900_000
const OUTPUT_LINES = 40

/** F-7, F-8: the dependencies, from the base's files; from the result's where the work may change them. */
export async function prepare(job: PrepareJob, parts: PrepareParts): Promise<Prepared> {
  if (!job.allow_dependencies) return prepareFrom('base', job, parts)
  const fromResult = await prepareFrom('result', job, parts)
  if (fromResult.fact.outcome !== 'failed') return fromResult
  const fromBase = await prepareFrom('base', job, parts)
  if (fromBase.fact.outcome === 'failed' || fromBase.fact.key === fromResult.fact.key) return fromResult
  return { ...fromBase, fact: { ...fromBase.fact, mismatch: fromResult.fact.output ?? 'it failed' } }
}

async function prepareFrom(from: 'base' | 'result', job: PrepareJob, parts: PrepareParts): Promise<Prepared> {
  const { tree, entries } = job[from]
  const inputs = await readInputs(parts.git, entries)
  const command = job.command ?? prepareCommand(inputs.locks, parts.isInstalled)
  if (command === null) {
    return { layer: null, fact: { command: null, inputs: {}, key: null, tools: [], from, outcome: 'none' } }
  }
  const tools = await toolVersions(toolsOf(command), parts)
  const key = layerKey({ command, inputs: inputs.digests, tools })
  const fact = { command, inputs: inputs.digests, key, tools, from }
  const known = parts.layers.get(key)
  if (known) return { layer: known, fact: { ...fact, outcome: 'reused' } }
  if (!(await parts.mayPrepare(command))) return { layer: null, fact: { ...fact, outcome: 'failed', output: refusal(command) } }
  try {
    return { layer: await make(key, { command, tree }, parts), fact: { ...fact, outcome: 'made' } }
  } catch (error) {
    if (!(error instanceof PrepareFailed)) throw error
    return { layer: null, fact: { ...fact, outcome: 'failed', output: error.output } }
  }
}

class PrepareFailed extends QedError {
  readonly code = 'unavailable'
  readonly output: string
  constructor(output: string) {
    super('The dependencies could not be prepared.')
    this.output = output
  }
}

// The whole tree is there while the command runs (manifests of workspaces, local packages, patches); what it adds is the layer.
function make(key: string, { command, tree }: { command: string; tree: string }, parts: PrepareParts): Promise<Layer> {
  const { git, layers } = parts
  return layers.make(key, async ({ tree: folder, index }) => {
    await layOut(git, tree, { folder, index })
    const caches = Object.entries(CACHES).map(([variable, name]) => [variable, join(folder, CACHE_FOLDER, name)] as const)
    mkdirSync(join(folder, CACHE_FOLDER), { recursive: true })
    const outcome = await run(command, folder, {
      ...parts,
      network: 'host',
      env: { ...PREPARE_ENVIRONMENT, ...Object.fromEntries(caches) },
    })
    if (outcome.reason !== 'exited' || outcome.exit !== 0) throw new PrepareFailed(said(command, outcome))
    return addedTo(folder, index, git)
  })
}

/** What is in the folder now and was not in the tree: outermost paths. */
async function addedTo(folder: string, index: string, git: Git): Promise<string[]> {
  const { text } = await git.call(['ls-files', '-z', '--others', '--directory', '--no-empty-directory'], { index, workTree: folder })
  const caches = readdirSync(join(folder, CACHE_FOLDER)).map(name => `${CACHE_FOLDER}/${name}`)
  return [
    ...text
      .split('\0')
      .filter(Boolean)
      .map(path => path.replace(/\/$/, '')),
    ...caches,
  ].sort()
}

async function toolVersions(tools: string[], parts: PrepareParts): Promise<PrepareFact['tools']> {
  if (tools.length === 0) return []
  const commands = tools.map(name => `echo "${name} $(${name} ${name === 'go' ? 'version' : '--version'} 2>/dev/null | head -n 1)"`)
  const { stdout } = await run(commands.join('; '), '/', { ...parts, network: 'off', env: {} })
  const lines = stdout.text.split('\n')
  return tools.map(name => ({ name, version: lines.find(line => line.startsWith(`${name} `))?.slice(name.length + 1) || 'absent' }))
}

interface RunOptions extends PrepareParts {
  network: 'off' | 'host'
  env: Record<string, string>
}

function run(command: string, folder: string, { processes, network, env, signal }: RunOptions): Promise<ProcessOutcome> {
  return processes.run({
    argv: shellArgv(command),
    cwd: folder,
    profile: 'prepare',
    writable: folder === '/' ? {} : { layer: folder },
    env,
    network,
    timeout_ms: TIMEOUT_MS,
    keep: { head: 16 << 10, tail: 64 << 10 },
    run_id: OUTSIDE_RUNS,
    ...(signal && { signal }),
  })
}

function said(command: string, { stdout, stderr, reason, exit, error }: ProcessOutcome): string {
  const how = reason === 'exited' ? `ended with ${exit}` : (error?.message ?? reason)
  const last = `${stdout.text}\n${stderr.text}`.trim().split('\n').slice(-OUTPUT_LINES).join('\n')
  return `${last}\n${command}: ${how}. Dependencies come from the lock file, never from the checkout; set proof.prepare where another command makes them.`
}

function refusal(command: string): string {
  return `${command} was not allowed, and what it makes is not there from before. Allow it, or set proof.prepare to a command that may run.`
}
