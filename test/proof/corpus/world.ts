import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { systemClock } from '../../../src/kernel/clock.ts'
import { sha256 } from '../../../src/kernel/sha256.ts'
import { readShell } from '../../../src/policy/read-shell.ts'
import { redactJson, redactText } from '../../../src/policy/secrets/redact.ts'
import { proofEvents } from '../../../src/proof/events.ts'
import type { ProofPorts } from '../../../src/proof/service/ports.ts'
import { createSandbox } from '../../../src/sandbox/sandbox.ts'
import { projectStore } from '../../../src/store/kinds.ts'
import { openStore, type Store } from '../../../src/store/store.ts'
import { NODE_FOLDER } from '../../support/node-folder.ts'
import type { Mode } from './row.ts'
import { type Files, STACKS, type StackName } from './stacks.ts'

/** Repositories, homes and stores of one pass through the corpus, all below one folder. */
export interface World {
  folder: string
  /** A repository of its own with one commit, copied from one that was made before. */
  repository: (name: string, stack: StackName, more: Files) => string
  ports: (root: string, options: { mode: Mode; home: string; include: string[] }) => ProofPorts
  close: () => void
}

export function createWorld(folder: string): World {
  const templates = new Map<string, string>()
  const stores = new Map<Mode, Store>()
  const personal = (mode: Mode): string => join(folder, mode)
  const storeOf = (mode: Mode): Store => {
    const known = stores.get(mode)
    if (known) return known
    mkdirSync(personal(mode), { recursive: true })
    const log = { clock: systemClock, redact: redactJson, catalogue: { proof: proofEvents } }
    const store = openStore(join(personal(mode), 'qed.db'), projectStore, { ...log, mayCreate: true })
    stores.set(mode, store)
    return store
  }
  return {
    folder,
    repository(name, stack, more) {
      const files = { ...STACKS[stack].files, ...more }
      const key = sha256(JSON.stringify(files)).slice(0, 12)
      const template = templates.get(key) ?? makeRepository(join(folder, 'templates', key), files)
      templates.set(key, template)
      const root = join(folder, 'projects', name)
      cpSync(template, root, { recursive: true, verbatimSymlinks: true })
      return root
    },
    ports(root, { mode, home, include }) {
      const sandbox = createSandbox({
        // Not the person's own order: a version manager's start-up would cost more than the test.
        env: { PATH: [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':') },
        home,
        personal: personal(mode),
        project: { root, gitFolder: join(root, '.git') },
        redact: redactText,
        clock: systemClock,
        homeRead: NODE_FOLDER,
        ...(mode === 'sandbox' ? { require: 'bubblewrap' } : { require: 'none', program: 'no-such-bwrap' }),
      })
      return {
        cwd: root,
        personal: personal(mode),
        home,
        clock: systemClock,
        sandbox,
        readShell,
        redact: redactText,
        project: {
          id: `prj_${sha256(root).toUpperCase().slice(0, 26)}`,
          log: storeOf(mode).log,
          include,
          isTrusted: () => Promise.resolve(true),
        },
        mayPrepare: () => Promise.resolve(true),
        excludes: undefined,
        isInstalled: () => true,
      }
    },
    close() {
      for (const store of stores.values()) store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function makeRepository(root: string, files: Files): string {
  mkdirSync(root, { recursive: true })
  git(root, 'init', '--quiet', '--template=', '-b', 'main')
  writeFiles(root, files)
  git(root, 'add', '-A')
  git(root, 'commit', '--quiet', '-m', 'base')
  return root
}

export function writeFiles(root: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    if (content === null) {
      rmSync(join(root, path), { recursive: true, force: true })
      continue
    }
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
}

export function editFile(root: string, path: string, { from, to }: { from: string; to: string }): void {
  const text = readFileSync(join(root, path), 'utf8')
  if (!text.includes(from)) throw new Error(`${path} does not hold ${from}`)
  writeFileSync(join(root, path), text.replace(from, to))
}

const IDENTITY = { GIT_AUTHOR_NAME: 't', GIT_AUTHOR_EMAIL: 't@example.com', GIT_COMMITTER_NAME: 't', GIT_COMMITTER_EMAIL: 't@example.com' }
// The same commits in every pass: a base that was run once is known.
const DATES = { GIT_AUTHOR_DATE: '2026-01-02T03:04:05Z', GIT_COMMITTER_DATE: '2026-01-02T03:04:05Z' }

export function git(root: string, ...args: string[]): string {
  return execFileSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 20_000,
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', ...IDENTITY, ...DATES },
  }).trim()
}
