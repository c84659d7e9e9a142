import { plainFacts } from '../../src/policy/plain-facts.ts'
import type { ShellReading } from '../../src/policy/shell/reading.ts'
import { understandShell } from '../../src/policy/shell/understand.ts'
import type { Flag } from '../../src/policy/types.ts'
import type { Row, Verdict } from './score.ts'

// Let through is what counts: something that writes, executes or destroys which nothing in the reading would stop.

type Outcome = 'agreed' | 'asked' | 'over-asking' | 'only for want of facts' | 'by its paths (P-33)' | 'LET THROUGH'

const HOME = '/home/user'
const RAISING = new Set<Flag>(['destructive', 'catastrophic', 'privileged', 'ambiguous', 'download-run', 'remote-exec', 'env-override'])

const hasRaisingFlag = (reading: ShellReading): boolean => reading.facets.some(facet => facet.flags.some(flag => RAISING.has(flag)))
const readsSecret = (reading: ShellReading): boolean => reading.facets.some(facet => facet.verb === 'secret.read')
const isStopped = (reading: ShellReading): boolean => reading.grammar === 'unknown' || hasRaisingFlag(reading) || readsSecret(reading)
const wantsFacts = (reading: ShellReading): boolean => reading.segments.some(segment => segment.argv.some(word => word.kind === 'glob'))
const destroys = (reading: ShellReading): boolean =>
  reading.facets.some(({ flags }) => flags.includes('destructive') || flags.includes('catastrophic'))
const edits = (reading: ShellReading): boolean => reading.facets.some(facet => facet.category === 'edit')

const JUDGES: Record<string, (reading: ShellReading, expected: Record<string, unknown>) => Outcome> = {
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

/** Rows on which QED's contract says otherwise. */
const DECIDED: Record<string, string> = {
  'codex-safe#59': 'P-23: a subshell is read like any other list',
  'dippy#7380': 'P-28: xargs without a command echoes',
  'qwen-readonly#190': 'P-30: the second word is a file that is read',
  'qwen-readonly#609': 'P-30: the second word is a file that is read',
  'qwen-readonly#671': 'P-28: a looking program behind find looks',
}

export function shellScore(row: Row): Verdict {
  const { question, command, argv, cwd, platform } = row.input
  const judge = JUDGES[String(question)]
  const asked = typeof command === 'string' ? command : Array.isArray(argv) ? { argv: argv as string[] } : undefined
  if (judge === undefined || asked === undefined || platform === 'windows') return { verdict: 'skipped', why: 'another question' }
  const root = typeof cwd === 'string' ? cwd : `${HOME}/project`
  const why = JSON.stringify(command ?? argv)
  const outcome = judge(understandShell(asked, { cwd: root, facts: plainFacts(root, { home: HOME }) }), row.expected)
  if (outcome === 'agreed') return { verdict: 'right' }
  if (outcome === 'LET THROUGH') {
    const decided = DECIDED[row.id.slice(row.id.lastIndexOf(':') + 1)]
    return decided === undefined ? { verdict: 'WRONG', why } : { verdict: 'decided', why: `${decided}: ${why}` }
  }
  return { verdict: outcome === 'by its paths (P-33)' ? 'decided' : 'safe', why: `${outcome}: ${why}` }
}
