import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../src/kernel/clock.ts'
import { captureTree } from '../../src/proof/capture/capture-tree.ts'
import { takeScope } from '../../src/proof/surroundings/take-scope.ts'
import { createGit } from '../../src/sandbox/git/git.ts'
import { createSandbox } from '../../src/sandbox/sandbox.ts'
import { DEFAULT_OUTPUTS } from '../../src/sandbox/scope/outputs.ts'
import { type Case, milliseconds } from '../harness.ts'
import { BIN, run, type Scene } from '../scene.ts'

/** A whole proof beside the runs that it must make anyhow, and looking at a large tree beside what git itself needs for it. */
export function proofCases(scene: Scene): Case[] {
  return [...wholeProof(scene), ...largeTree(scene)]
}

const TEST = `const test = require('node:test')
test('sums', () => require('node:assert').strictEqual(require('../sum.js')(2, 3), 5))
`

function wholeProof({ folder, env }: Scene): Case[] {
  const [base, work] = ['proof-base', 'proof-work'].map(name => join(folder, name)) as [string, string]
  for (const root of [base, work]) files(root, { 'sum.js': 'module.exports = (a, b) => a - b\n', 'test/sum.test.js': TEST })
  commit(work, env)
  files(work, { 'sum.js': 'module.exports = (a, b) => a + b\n' })
  const text = 'node --test'
  let count = 0
  const bare = (): Promise<number> =>
    milliseconds(async () => {
      await ended(text, base, env)
      await ended(text, work, env)
    })
  const proof = (command: string): Promise<number> => milliseconds(() => run(BIN, ['prove', '--quiet', '--', command], { cwd: work, env }))
  // Another text each time, so that no earlier run of the base is taken over.
  const whole = (): Promise<number> => proof(`${text} # ${count++}`)
  const floor = 'the two runs of a proof, bare'
  return [
    { name: floor, unit: 'ms', run: bare },
    { name: 'a proof with both runs', unit: 'ms', floor, run: whole },
    { name: 'a proof with a known base', unit: 'ms', floor, run: () => proof(text) },
    { name: 'a proof over its bare runs', unit: 'ms', run: async () => (await whole()) - (await bare()) },
  ]
}

const FOLDERS = 200
const FILES_EACH = 100

function largeTree({ folder, env }: Scene): Case[] {
  const root = join(folder, 'proof-large')
  const personal = join(folder, 'proof-personal')
  const names = Array.from({ length: FOLDERS * FILES_EACH }, (_, i) => `src/${i % FOLDERS}/file-${i}.ts`)
  files(root, Object.fromEntries(names.map((name, i) => [name, `export const value${i} = ${i}\n`.repeat(20)])))
  commit(root, env)
  const { processes, state } = createSandbox({
    env,
    home: folder,
    personal,
    project: { root, gitFolder: join(root, '.git') },
    require: 'bubblewrap',
    redact: text => text,
    clock: systemClock,
  })
  const git = createGit(processes, { root, gitFolder: join(root, '.git') })
  const index = join(folder, 'fresh-index')
  const floor = 'git add -A of 20,000 files, fresh index'
  const taker = {
    git,
    clock: systemClock,
    place: root,
    checkout: root,
    places: join(state, 'places'),
    base: 'HEAD',
    outputs: DEFAULT_OUTPUTS,
    home: folder,
    watch_outside: [],
  }
  return [
    {
      name: floor,
      unit: 'ms',
      run: () => {
        rmSync(index, { force: true })
        return milliseconds(() => run('git', ['add', '-A'], { cwd: root, env: { ...env, GIT_INDEX_FILE: index } }))
      },
    },
    {
      name: 'capture of 20,000 files, warm',
      unit: 'ms',
      floor,
      goal: { most: 1500 },
      run: () => milliseconds(() => captureTree({ git, root, tracked: 'HEAD', state })),
    },
    { name: 'scope snapshot of 20,000 files', unit: 'ms', floor, run: () => milliseconds(() => takeScope(taker)) },
    {
      name: 'size of that snapshot',
      unit: 'KiB',
      run: async () => Buffer.byteLength(JSON.stringify(await takeScope(taker))) / 1024,
    },
  ]
}

function files(root: string, contents: Record<string, string>): void {
  for (const [path, text] of Object.entries(contents)) {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}

function commit(root: string, env: Record<string, string>): void {
  const git = (...args: string[]): void =>
    void execFileSync('git', ['-C', root, '-c', 'user.name=b', '-c', 'user.email=b@b', ...args], { env, stdio: 'ignore' })
  git('init', '--quiet')
  git('add', '-A')
  git('commit', '--quiet', '-m', 'base')
}

/** Runs to its end, whatever that is: the base is red. */
function ended(command: string, cwd: string, env: Record<string, string>): Promise<void> {
  return new Promise((resolve, reject) => {
    spawn('bash', ['-c', command], { cwd, env, stdio: 'ignore' })
      .on('error', reject)
      .on('exit', () => resolve())
  })
}
