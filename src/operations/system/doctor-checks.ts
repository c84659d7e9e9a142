import type { App } from '../../app.ts'
import { asQedError } from '../../kernel/errors.ts'
import type { JsonObject } from '../../kernel/json.ts'
import { findModelProviders } from '../../models/found.ts'
import { listSettings } from '../../project/config/config.ts'
import { findRepository } from '../../project/root.ts'
import { OUTSIDE_RUNS } from '../../sandbox/isolation/detect.ts'
import { fixesFor } from '../../sandbox/isolation/state.ts'
import { verifyChain } from '../../store/verify-chain.ts'

export interface Check {
  id: string
  status: 'ok' | 'warn' | 'fail'
  summary: string
  fix?: string
  data?: JsonObject
}

type Finding = Omit<Check, 'id'>

/** What QED needs, each with its own way to find out. A check that throws has failed; the error says what to do. */
const CHECKS: Record<string, (app: App) => Promise<Finding> | Finding> = {
  node: checkNode,
  git: checkGit,
  bubblewrap: checkBubblewrap,
  project: checkProject,
  config: checkConfig,
  store: checkStore,
  vault: checkVault,
  models: checkModels,
}

const LEAST_NODE = '24.11.0'
const LEAST_GIT = '2.34.0'

export async function runChecks(app: App): Promise<Check[]> {
  return Promise.all(Object.entries(CHECKS).map(async ([id, check]) => ({ id, ...(await settled(check, app)) })))
}

async function settled(check: (app: App) => Promise<Finding> | Finding, app: App): Promise<Finding> {
  try {
    return await check(app)
  } catch (error) {
    const { code, message, next } = asQedError(error)
    return {
      status: 'fail',
      summary: message,
      fix: next ? `${next.command ?? next.operation}: ${next.why}` : 'Run qed doctor -v and report what it prints.',
      data: { code },
    }
  }
}

function checkNode(): Finding {
  const found = process.versions.node
  return isAtLeast(found, LEAST_NODE)
    ? { status: 'ok', summary: `Node ${found}`, data: { version: found } }
    : { status: 'fail', summary: `Node ${found} is too old`, fix: `Install Node ${LEAST_NODE} or newer.`, data: { version: found } }
}

async function checkGit(app: App): Promise<Finding> {
  const { processes } = await app.sandbox()
  const asked = await processes.run({
    argv: ['git', '--version'],
    cwd: '/',
    profile: 'own',
    writable: {},
    env: {},
    timeout_ms: 5000,
    keep: { head: 1000, tail: 0 },
    run_id: OUTSIDE_RUNS,
  })
  if (asked.exit !== 0) return { status: 'fail', summary: 'git does not run', fix: 'Install git, for example: apt-get install git' }
  const version = /(\d+\.\d+\.\d+)/.exec(asked.stdout.text)?.[1] ?? '0.0.0'
  return isAtLeast(version, LEAST_GIT)
    ? { status: 'ok', summary: `git ${version}`, data: { version } }
    : { status: 'warn', summary: `git ${version} is old`, fix: `Install git ${LEAST_GIT} or newer.`, data: { version } }
}

async function checkBubblewrap(app: App): Promise<Finding> {
  const state = await (await app.sandbox()).isolation.state()
  const [fix] = fixesFor(state)
  const more = fix === undefined ? {} : { fix }
  switch (state.kind) {
    case 'available':
      return state.degraded === null
        ? { status: 'ok', summary: `bubblewrap ${state.version} holds`, data: { kind: state.kind, version: state.version } }
        : { status: 'warn', summary: `bubblewrap ${state.version} holds but for ${state.degraded}`, data: { kind: state.kind }, ...more }
    case 'absent':
      return { status: 'warn', summary: `${state.reason}: runs are refused until you choose`, data: { kind: state.kind }, ...more }
    case 'broken':
      return {
        status: 'warn',
        summary: `bubblewrap ${state.version} does not hold (${state.facet}): ${state.message}`,
        data: { kind: state.kind, version: state.version, facet: state.facet },
        ...more,
      }
  }
}

function checkProject(app: App): Finding {
  const project = app.findProject()
  if (project) return { status: 'ok', summary: `${project.name} at ${project.root}`, data: { id: project.id, root: project.root } }
  return findRepository(app.cwd)
    ? { status: 'warn', summary: 'this repository is not a QED project yet', fix: 'Run: qed init' }
    : { status: 'warn', summary: 'this folder is not in a git repository', fix: 'Run: git init && qed init' }
}

function checkConfig(app: App): Finding {
  const changed = listSettings(app.configPlaces()).filter(setting => setting.source !== 'default').length
  return { status: 'ok', summary: `config is sound, ${changed} settings differ from the defaults`, data: { changed } }
}

async function checkStore(app: App): Promise<Finding> {
  if (!app.findProject()) return { status: 'ok', summary: 'no project, so no store to check' }
  const { log, path } = await app.projectStore()
  const { ok, count, broken } = verifyChain(log.rows())
  return ok
    ? { status: 'ok', summary: `${count} events, chain valid`, data: { path, events: count } }
    : {
        status: 'fail',
        summary: `the log is broken at event ${broken?.seq}: ${broken?.reason}`,
        fix: 'Keep the file and restore a backup: qed store restore <file>',
        data: { path, events: count },
      }
}

async function checkVault(app: App): Promise<Finding> {
  const vault = await app.vault()
  const leaked = vault.leaked()
  if (leaked) {
    return {
      status: 'fail',
      summary: `the vault's own bait was seen (${leaked.where}, ${leaked.at}): take its secrets for known`,
      fix: `Change every secret where it is used, set it anew, then remove ${vault.leakedNote}`,
      data: { leaked },
    }
  }
  return { status: 'ok', summary: vault.stamp() === null ? 'no vault yet' : 'a vault is there and has not leaked' }
}

async function checkModels(app: App): Promise<Finding> {
  const found = await findModelProviders(app.env)
  const configured = [...new Set(listSettings(app.configPlaces()).flatMap(({ key }) => /^models\.([^.]+)\./.exec(key)?.[1] ?? []))]
  const names = [
    ...configured.map(alias => `alias ${alias}`),
    ...found.keys,
    ...found.local.map(({ name, port }) => `${name} on port ${port}`),
  ]
  const data = { configured, keys: found.keys, local: found.local }
  return names.length > 0
    ? { status: 'ok', summary: `model providers found: ${names.join(', ')}`, data }
    : {
        status: 'warn',
        summary: 'no model provider found: everything but model calls works',
        fix: 'Set a key such as ANTHROPIC_API_KEY, or start a local server such as Ollama.',
        data,
      }
}

function isAtLeast(found: string, least: string): boolean {
  const [a, b] = [found, least].map(version => version.split('.').map(Number))
  for (let i = 0; i < 3; i++) {
    const difference = (a?.[i] ?? 0) - (b?.[i] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return true
}
