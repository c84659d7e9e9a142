import type { SECTIONS } from '../../operations/operation.ts'

/** A word that people say every day, and the command that it is short for. */
export interface ShortForm {
  word: string
  means: readonly [noun: string, verb: string]
  about: string
  section: (typeof SECTIONS)[number]
  /** What follows the word, where that says more than the list of its flags; words given by position are then not listed. */
  usage?: string
}

export const SHORT_FORMS: readonly ShortForm[] = [
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
