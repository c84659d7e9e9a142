import { isSealed, raisingFlags } from '../flags.ts'
import type { Category } from '../types.ts'
import type { Answer, Layer, Subject } from './layer.ts'

/** Speaks when nobody else did. */
export const defaults: Layer = (subject, { shellInSandbox }) => {
  const { facet, segment, path } = subject
  if (path?.special === 'free') return answer('allow', 'system-file', 'It is a harmless file of the system.')
  if (
    facet.category === 'shell' &&
    raisingFlags(facet.flags).length === 0 &&
    shellInSandbox === 'allow' &&
    isSealed(subject.operation.facts.isolation)
  ) {
    return answer('allow', 'shell_in_sandbox', 'The sandbox holds it, and the settings let sandboxed commands run unasked.')
  }
  if (segment && (segment.class === 'read-only' || segment.class === 'file-effect')) {
    return answer(
      'allow',
      segment.class,
      segment.class === 'read-only' ? 'The command only reads.' : 'The command only touches files, which are judged by themselves.',
    )
  }
  return BY_CATEGORY[facet.category](subject)
}

const asks = (what: string) => (): Answer => answer('ask', 'ask', `${what} needs a person's answer unless a rule allows it.`)

const BY_CATEGORY: Record<Category, (subject: Subject) => Answer> = {
  read: ({ path }) =>
    path?.root
      ? answer('allow', 'read', 'Reading inside a root is free.')
      : { verdict: 'ask', rule: 'read', code: 'ambiguous', reason: 'Nothing says what would be read.' },
  edit: asks('Changing a file'),
  shell: asks('A command that does more than read'),
  git: asks('A git command that does more than read'),
  network: asks('Using the network'),
  memory: asks('Using memory'),
  'provider-tool': asks('A foreign tool'),
  secrets: ({ facet }) =>
    answer('deny', 'secrets', `The secret ${facet.secret ?? ''} is given out only where a rule of the person allows it.`),
  'external-directory': () => answer('deny', 'external-directory', 'What is outside every root is not touched.'),
}

function answer(verdict: Answer['verdict'], rule: string, reason: string): Answer {
  return { verdict, rule, code: 'default', reason }
}
