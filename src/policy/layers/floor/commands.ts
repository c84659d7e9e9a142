import type { ShellLevel } from '../../shell-port.ts'
import type { Ambiguity, Flag } from '../../types.ts'
import type { Answer, Layer, Subject } from '../layer.ts'

export const catastrophic: Layer = ({ facet }) =>
  facet.flags.includes('catastrophic')
    ? {
        verdict: 'deny',
        rule: 'catastrophic',
        code: 'catastrophic',
        reason: 'The command would destroy a system folder, the home, a root or a disk.',
      }
    : null

/** Inside a brief what destroys needs its entry there and every step of its preparation; elsewhere a person. */
export const destructive: Layer = ({ facet, operation, preflight }) => {
  if (!facet.flags.includes('destructive')) return null
  if (!operation.context.brief) {
    return {
      verdict: 'ask',
      rule: 'destructive',
      code: 'destructive',
      reason: 'The command destroys data; a person must agree to this very command.',
    }
  }
  if (preflight.kind === 'complete') return null
  const code = preflight.kind === 'unlisted' ? 'destructive-unlisted' : 'preflight-incomplete'
  return { verdict: 'deny', rule: code, code, reason: preflight.why }
}

/** Inside a run QED can be read, not commanded: whoever approves must not be reachable by a command. */
export const ownProgram: Layer = ({ segment, levels }, { readOperations }) => {
  if (!segment) return null
  const words = levels.map(qedWords).find(found => found !== null)
  if (!words || isReadCall(words, readOperations)) return null
  return {
    verdict: 'deny',
    rule: 'self-protection',
    code: 'self-protection',
    reason: 'Inside a run only reading operations of qed may be called.',
  }
}

const LAUNCHERS = new Set(['npx', 'bunx', 'pnpx', 'pnpm', 'yarn', 'npm', 'bun', 'node', 'deno'])

// The words after `qed`, also where a launcher starts it.
function qedWords({ argv }: ShellLevel): string[] | null {
  const program = argv[0]?.text
  if (!isQed(program) && !LAUNCHERS.has(lastPart(program ?? ''))) return null
  const words = argv.map(word => word.text)
  if (isQed(program)) return words.slice(1)
  const at = words.findIndex(isQed)
  return at < 0 ? null : words.slice(at + 1)
}

function isQed(word: string | undefined): boolean {
  return word !== undefined && /^qed(?:@.*)?(?:\.[cm]?js)?$/.test(lastPart(word))
}

function isReadCall(words: string[], readOperations: readonly string[]): boolean {
  if (words.length === 1 && ['--version', '-V', '--help', '-h', 'help'].includes(words[0] ?? '')) return true
  const [noun = '', verb = ''] = words
  return readOperations.includes(`${noun}.${verb}`) || readOperations.includes(noun)
}

const ASKING: { flag: Flag; reason: string }[] = [
  { flag: 'privileged', reason: 'The command runs with the rights of another user.' },
  { flag: 'download-run', reason: 'The command runs what it has just downloaded.' },
  { flag: 'remote-exec', reason: 'The command runs on another machine or in a container.' },
  { flag: 'env-override', reason: 'The command changes a variable that decides which code is run.' },
  { flag: 'hard-linked', reason: 'The file has a second name elsewhere, so writing it writes there too.' },
]

export const askingFlags: Layer = ({ facet }) => {
  const row = ASKING.find(({ flag }) => facet.flags.includes(flag))
  return row ? { verdict: 'ask', rule: row.flag, code: row.flag, reason: row.reason } : null
}

/** What is not certain is never allowed. */
export const ambiguous: Layer = subject => {
  if (!subject.facet.flags.includes('ambiguous')) return null
  const { code, reason } = ambiguity(subject)
  return { verdict: 'ask', rule: code, code, reason } satisfies Answer
}

const UNCERTAIN: Record<Ambiguity, string> = {
  'unknown-grammar': 'The command cannot be read for certain. Write it in simpler shell.',
  'dynamic-word': 'A word of the command is only known when it runs. Write its value out.',
  ambiguous: 'It cannot be told for certain what this would do.',
}

function ambiguity({ reading, facet, bare, path }: Subject): { code: Ambiguity; reason: string } {
  if (facet.ambiguity === 'unknown-grammar' || reading?.grammar === 'unknown') {
    return {
      code: 'unknown-grammar',
      reason: `${UNCERTAIN['unknown-grammar']}${reading?.unknown_reason ? ` (${reading.unknown_reason})` : ''}`,
    }
  }
  if (facet.ambiguity) return { code: facet.ambiguity, reason: UNCERTAIN[facet.ambiguity] }
  if (bare) return { code: 'ambiguous', reason: 'Nothing says what this would touch.' }
  if (path) return { code: 'ambiguous', reason: `It was not looked up what ${path.absolute} is.` }
  return { code: 'ambiguous', reason: UNCERTAIN.ambiguous }
}

function lastPart(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1)
}
