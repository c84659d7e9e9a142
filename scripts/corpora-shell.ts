// Holds the shell reading against commands that other tools were tested with: `node scripts/corpora-shell.ts <file.jsonl> [--list]`.
// Let through is what counts: something that writes, executes or destroys which nothing in the reading would stop.
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { ShellReading } from '../src/policy/shell/reading.ts'
import { understandShell } from '../src/policy/shell/understand.ts'
import type { Facts, Flag } from '../src/policy/types.ts'

interface Row {
  id: string
  input: { question: string; command?: string; argv?: string[]; cwd?: string; platform?: string; env?: unknown }
  expected: Record<string, unknown>
}

type Outcome = 'agreed' | 'asked' | 'over-asking' | 'only for want of facts' | 'by its paths (P-33)' | 'LET THROUGH'

const HOME = '/home/user'
const RAISING = new Set<Flag>(['destructive', 'catastrophic', 'privileged', 'ambiguous', 'download-run', 'remote-exec', 'env-override'])

const factsFor = (root: string): Facts => ({
  roots: [{ path: root, real: root, access: 'write' }],
  paths: {},
  globs: {},
  sensitiveBelow: {},
  caseInsensitive: false,
  sacredLoaded: true,
  home: HOME,
  tmp: '/tmp',
  createdByRun: [],
  branchesOfRun: [],
  pidsOfRun: [],
  isolation: null,
})

const hasRaisingFlag = (reading: ShellReading): boolean => reading.facets.some(facet => facet.flags.some(flag => RAISING.has(flag)))
const readsSecret = (reading: ShellReading): boolean => reading.facets.some(facet => facet.verb === 'secret.read')
const isStopped = (reading: ShellReading): boolean => reading.grammar === 'unknown' || hasRaisingFlag(reading) || readsSecret(reading)
const wantsFacts = (reading: ShellReading): boolean => reading.segments.some(segment => segment.argv.some(word => word.kind === 'glob'))
const destroys = (reading: ShellReading): boolean =>
  reading.facets.some(({ flags }) => flags.includes('destructive') || flags.includes('catastrophic'))
const edits = (reading: ShellReading): boolean => reading.facets.some(facet => facet.category === 'edit')

const JUDGES: Record<string, (reading: ShellReading, expected: Record<string, unknown>) => Outcome | null> = {
  readonly: (reading, expected) => {
    if (expected['readonly'] === true) {
      if (reading.class === 'read-only' && !isStopped(reading)) return 'agreed'
      return reading.class === 'read-only' && wantsFacts(reading) ? 'only for want of facts' : 'over-asking'
    }
    if (reading.class !== 'read-only') return 'agreed'
    return isStopped(reading) ? 'asked' : 'LET THROUGH'
  },
  destructive: (reading, expected) => {
    if (expected['destructive'] !== true) return destroys(reading) ? 'over-asking' : 'agreed'
    if (destroys(reading)) return 'agreed'
    if (isStopped(reading) || reading.class === 'other' || reading.class === 'network') return 'asked'
    return reading.class === 'file-effect' ? 'by its paths (P-33)' : 'LET THROUGH'
  },
  'edits-files': (reading, expected) => {
    if (expected['edits'] !== true) return edits(reading) ? 'over-asking' : 'agreed'
    if (edits(reading)) return 'agreed'
    return isStopped(reading) || reading.class !== 'read-only' ? 'asked' : 'LET THROUGH'
  },
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { list: { type: 'boolean', default: false } } })
const [file] = positionals
if (file === undefined) throw new Error('Name the file with the rows: node scripts/corpora-shell.ts <file.jsonl>')

const score = new Map<string, Map<Outcome, Row[]>>()
for (const line of readFileSync(file, 'utf8').split('\n')) {
  if (line === '') continue
  const row: Row = JSON.parse(line)
  const { question, command, argv, cwd = `${HOME}/project`, platform } = row.input
  const judge = JUDGES[question]
  const asked = typeof command === 'string' ? command : Array.isArray(argv) ? { argv } : undefined
  if (judge === undefined || asked === undefined || platform === 'windows') continue
  const outcome = judge(understandShell(asked, { cwd, facts: factsFor(cwd) }), row.expected)
  if (outcome === null) continue
  const rows = score.get(question) ?? new Map<Outcome, Row[]>()
  rows.set(outcome, [...(rows.get(outcome) ?? []), row])
  score.set(question, rows)
}

for (const [question, rows] of score) {
  console.log(question)
  for (const [outcome, list] of rows) {
    console.log(`  ${String(list.length).padStart(5)}  ${outcome}`)
    const isListed = outcome === 'LET THROUGH' || outcome.startsWith('by its') || (values.list && outcome !== 'agreed')
    if (isListed) for (const { id, input } of list) console.log(`         ${id}  ${JSON.stringify(input.command ?? input.argv)}`)
  }
}
