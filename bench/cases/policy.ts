import { decide } from '../../src/policy/decide.ts'
import { NO_LAYERS, type PolicyLayers } from '../../src/policy/layers/layer.ts'
import { readShell } from '../../src/policy/read-shell.ts'
import { compileRule } from '../../src/policy/rules/compile.ts'
import { EMPTY_POLICY } from '../../src/policy/rules/load.ts'
import { Rule } from '../../src/policy/rules/schema.ts'
import type { BriefScope, PolicyOperation } from '../../src/policy/types.ts'
import { textFacts } from '../../src/sandbox/facts.ts'
import { type Case, milliseconds } from '../harness.ts'
import { COMMANDS } from './shell.ts'

const TIMES = 20_000
const FLOOR = 'reading the same commands, no decision'

/** Whole decisions a second: reading the command, cutting it, and asking every layer. */
export function policyCases(): Case[] {
  const facts = textFacts({ roots: [{ path: '/p', access: 'write' }], home: '/home/user', tmp: '/tmp' })
  const brief: BriefScope = { files_owned: ['src/**', 'test/**/*.ts'], allow_commands: ['npm test **'], verify: 'npm test' }
  const base = { cwd: '/p', facts, context: { mode: 'act' as const, surface: 'cli' as const, approver: 'person' as const } }
  const read: PolicyOperation = { ...base, verb: 'file.read', paths: [{ path: 'src/a/b.ts', access: 'read' }] }
  const write: PolicyOperation = {
    ...base,
    context: { ...base.context, brief },
    verb: 'file.write',
    paths: [{ path: 'src/a/b.ts', access: 'write' }],
  }
  const command: PolicyOperation = { ...base, verb: 'process.exec', command: 'npm test -- -w' }
  const layers = withRules(50)
  return [
    { name: 'decision: read a file', unit: 'decisions/s', goal: { least: 20_000 }, run: () => rate(read, NO_LAYERS) },
    { name: 'decision: write in a brief', unit: 'decisions/s', goal: { least: 20_000 }, run: () => rate(write, NO_LAYERS) },
    { name: 'decision: a command under 100 rules', unit: 'decisions/s', goal: { least: 20_000 }, run: () => rate(command, layers) },
    { name: FLOOR, unit: 'readings/s', run: () => perSecond(text => readShell(text, { cwd: '/p', facts })) },
    {
      name: 'decision: what agents run all day',
      unit: 'decisions/s',
      floor: FLOOR,
      goal: { least: 20_000 },
      run: () => perSecond(text => decide({ ...base, verb: 'process.exec', command: text }, NO_LAYERS, readShell)),
    },
  ]
}

async function perSecond(work: (command: string) => unknown): Promise<number> {
  const rounds = 100
  const took = await milliseconds(() => {
    for (let round = 0; round < rounds; round++) for (const command of COMMANDS) work(command)
  })
  return (rounds * COMMANDS.length * 1000) / took
}

async function rate(operation: PolicyOperation, layers: PolicyLayers): Promise<number> {
  const took = await milliseconds(() => {
    for (let i = 0; i < TIMES; i++) decide(operation, layers, readShell)
  })
  return (TIMES * 1000) / took
}

function withRules(count: number): PolicyLayers {
  const rules = Array.from({ length: count }, (_, i) => [
    { id: `parts-${i}`, effect: 'deny', category: 'git', command: { program: 'git', subcommand: `sub-${i}` } },
    { id: `words-${i}`, effect: 'ask', category: 'shell', command: `make target-${i} **` },
  ]).flat()
  const policy = { ...EMPTY_POLICY, rules: rules.map(rule => compileRule(Rule().parse(rule))) }
  return { ...NO_LAYERS, project: [{ policy, trusted: true }] }
}
