import type { SECTIONS } from '../../operations/operation.ts'

/** A word that people say every day, and the command that it is short for. */
export interface ShortForm {
  word: string
  means: readonly [noun: string, verb: string, ...flags: string[]]
  about: string
  section: (typeof SECTIONS)[number]
  /** What follows the word, where that says more than the list of its flags; words given by position are then not listed. */
  usage?: string
}

export const SHORT_FORMS: readonly ShortForm[] = [
  { word: 'code', means: ['run', 'work', '--kind', 'code'], about: 'Let a model make a change: qed code "<what>"', section: 'work' },
  { word: 'fix', means: ['run', 'work', '--kind', 'fix'], about: 'Let a model find and mend a defect', section: 'work' },
  { word: 'build', means: ['run', 'work', '--kind', 'build'], about: 'Let a model build something new', section: 'work' },
  { word: 'plan', means: ['run', 'work', '--kind', 'plan'], about: 'Let a model plan; nothing changes', section: 'work' },
  { word: 'explain', means: ['run', 'work', '--kind', 'explain'], about: 'Let a model explain; nothing changes', section: 'work' },
  {
    word: 'approve',
    means: ['approval', 'resolve', '--resolution', 'approved'],
    about: 'Say yes to what a run asks for: qed approve <approval>',
    section: 'review',
  },
  { word: 'reject', means: ['approval', 'resolve', '--resolution', 'rejected'], about: 'Say no to it, with a reason', section: 'review' },
  {
    word: 'prove',
    means: ['proof', 'run'],
    about: 'Prove that the work is done: qed prove -- <command>',
    section: 'work',
    usage: '[flags] -- <command>',
  },
]

/** The short form of an operation, where it has one. */
export function shortFormOf({ name }: { name: string }): ShortForm | undefined {
  return SHORT_FORMS.find(({ means }) => means.join('.') === name)
}

/** The words with a short form spelled out. */
export function spelledOut(words: string[]): string[] {
  const short = SHORT_FORMS.find(({ word }) => word === words[0])
  return short ? [...short.means, ...words.slice(1)] : words
}
