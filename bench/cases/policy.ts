import { decide } from '../../src/policy/decide.ts'
import { NO_LAYERS, type PolicyLayers } from '../../src/policy/layers/layer.ts'
import { compileRule } from '../../src/policy/rules/compile.ts'
import { EMPTY_POLICY } from '../../src/policy/rules/load.ts'
import { Rule } from '../../src/policy/rules/schema.ts'
import type { ReadShell, ShellLevel } from '../../src/policy/shell-port.ts'
import type { BriefScope, PolicyOperation } from '../../src/policy/types.ts'
import { textFacts } from '../../src/sandbox/facts.ts'
import { type Case, milliseconds } from '../harness.ts'

const TIMES = 20_000

/** Decisions a second, the shell reader not included: its answer is given. */
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
  ]
}

async function rate(operation: PolicyOperation, layers: PolicyLayers): Promise<number> {
  const took = await milliseconds(() => {
    for (let i = 0; i < TIMES; i++) decide(operation, layers, givenReading)
  })
  return (TIMES * 1000) / took
}

const words = ['npm', 'test', '--', '-w'].map(text => ({ text, kind: 'static' as const }))
const level: ShellLevel = { argv: words, transparent: true, program: 'npm', subcommand: 'test', flags: ['-w'], operands: ['test'] }
const reading: ReturnType<ReadShell> = {
  grammar: 'known',
  class: 'other',
  segments: [
    {
      index: 0,
      text: 'npm test -- -w',
      range: { start: 0, end: 14 },
      program: 'npm',
      argv: words,
      via: 'top',
      wrappers: [],
      assignments: [],
      redirects: [],
      cwd: ['/p'],
      class: 'other',
      category: 'shell',
      flags: [],
      paths: [],
      levels: [level],
    },
  ],
  facets: [{ category: 'shell', verb: 'process.exec', segment: 0, argv: words.map(word => word.text), flags: [] }],
}
const givenReading: ReadShell = () => reading

function withRules(count: number): PolicyLayers {
  const rules = Array.from({ length: count }, (_, i) => [
    { id: `parts-${i}`, effect: 'deny', category: 'git', command: { program: 'git', subcommand: `sub-${i}` } },
    { id: `words-${i}`, effect: 'ask', category: 'shell', command: `make target-${i} **` },
  ]).flat()
  const policy = { ...EMPTY_POLICY, rules: rules.map(rule => compileRule(Rule().parse(rule))) }
  return { ...NO_LAYERS, project: [{ policy, trusted: true }] }
}
