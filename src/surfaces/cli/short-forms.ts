import type { SECTIONS } from '../../operations/operation.ts'

/** A word that people say every day, and the command that it is short for. */
export interface ShortForm {
  word: string
  means: readonly [noun: string, verb: string, ...flags: string[]]
  about: string
  section: (typeof SECTIONS)[number]
  /** What follows the word, where that says more than the list of its flags; words given by position are then not listed. */
  usage?: string
  /** Keys that mean nothing here, and are not listed. */
  hides?: readonly string[]
}

export const SHORT_FORMS: readonly ShortForm[] = [
  ...kinds({
    code: 'Let a model make a change: qed code "<what>"',
    fix: 'Let a model find and mend a defect',
    build: 'Let a model build something new',
  }),
  // Nothing may change under these: what would let something change is not for them.
  ...kinds(
    {
      plan: 'Let a model plan; nothing changes, the plan is kept as a file',
      explain: 'Let a model explain; nothing changes',
    },
    ['isolated', 'scope', 'verify', 'allow_command'],
  ),
  {
    word: 'approve',
    means: ['approval', 'resolve', '--resolution', 'approved'],
    about: 'Say yes to what a run asks for: qed approve <approval>',
    section: 'review',
  },
  {
    word: 'reject',
    means: ['approval', 'resolve', '--resolution', 'rejected'],
    about: 'Say no to it, with a reason',
    section: 'review',
    hides: ['remember', 'wider'],
  },
  {
    word: 'prove',
    means: ['proof', 'run'],
    about: 'Prove that the work is done: qed prove -- <command>',
    section: 'work',
    usage: '[flags] -- <command>',
  },
]

/** The kinds of work that are one operation. */
function kinds(about: Record<string, string>, hides: readonly string[] = []): ShortForm[] {
  return Object.entries(about).map(([word, what]) => ({
    word,
    means: ['run', 'work', '--kind', word],
    about: what,
    section: 'work',
    usage: '"<what is to be done>" [flags]   (- reads it from stdin)',
    hides,
  }))
}

/** The short form that was said, else that of the operation, where it has one. */
export function shortFormOf({ name }: { name: string }, said?: string): ShortForm | undefined {
  return SHORT_FORMS.find(({ word }) => word === said) ?? SHORT_FORMS.find(({ means }) => means.join('.') === name)
}

/** Keys that a short form sets itself, and those that mean nothing with it. */
export function keysHiddenBy({ means, hides = [] }: ShortForm): string[] {
  return [...means.filter(word => word.startsWith('--')).map(word => word.slice(2)), ...hides]
}

/** The words with a short form spelled out. */
export function spelledOut(words: string[]): string[] {
  const short = SHORT_FORMS.find(({ word }) => word === words[0])
  return short ? [...short.means, ...words.slice(1)] : words
}
