import { writesMemory } from '../access.ts'
import { checkGitRead } from '../git-read.ts'
import type { Category, Mode } from '../types.ts'
import type { Answer, Layer, Subject } from './layer.ts'

/** A mode holds back; it never allows. */
export const mode: Layer = subject => BY_MODE[subject.operation.context.mode](subject)

const BY_MODE: Record<Mode, (subject: Subject) => Answer | null> = {
  act: () => null,
  ask: subject => readOnly(subject, 'ask'),
  plan: subject => readOnly(subject, 'plan'),
  advisor,
}

function readOnly(subject: Subject, name: string): Answer | null {
  const { facet, segment, path } = subject
  if (facet.category === 'provider-tool')
    return answer('ask', name, 'mode-read-only', `Mode ${name} only reads, and nobody can tell what a foreign tool does.`)
  const writes =
    facet.category === 'edit'
      ? path?.special !== 'free'
      : facet.category === 'shell' || facet.category === 'git'
        ? segment?.class !== 'read-only'
        : writesMemory(facet)
  return writes ? answer('deny', name, 'mode-read-only', `Mode ${name} only reads. Switch to act to change something.`) : null
}

const CLOSED_TO_ADVISORS = new Set<Category>(['edit', 'shell', 'git', 'network', 'memory', 'provider-tool', 'secrets'])
const STARTS_WORK = /^(?:run|advisor|mission)\./

function advisor(subject: Subject): Answer | null {
  const { facet, operation } = subject
  const tools = operation.context.profile?.tools ?? []
  const { tool } = operation
  const offered = tools.length > 0 && (tool === undefined || tools.includes(tool))
  if (!offered) return answer('deny', 'advisor', 'tool-disallowed', `The advisor's profile offers ${tools.join(', ') || 'no tools'}.`)
  if (STARTS_WORK.test(facet.verb)) return answer('deny', 'advisor', 'mode-read-only', 'An advisor starts neither runs nor other advisors.')
  if (tool === 'git_read' && facet.category === 'git') {
    const refused = checkGitRead((operation.argv ?? []).slice(1))
    return refused === null && operation.argv?.[0] === 'git'
      ? null
      : answer('deny', 'advisor', 'tool-disallowed', refused ?? 'git_read runs git alone.')
  }
  return CLOSED_TO_ADVISORS.has(facet.category)
    ? answer('deny', 'advisor', 'mode-read-only', 'An advisor only reads files of the project.')
    : null
}

function answer(verdict: Answer['verdict'], rule: string, code: string, reason: string): Answer {
  return { verdict, rule, code, reason }
}
