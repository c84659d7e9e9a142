import { Usage } from '../../kernel/errors.ts'
import { nearest } from '../../kernel/names.ts'
import { SINGLE_WORDS } from '../../operations/catalogue.ts'
import type { AnyOperation, Catalogue } from '../../operations/operation.ts'
import { SHORT_FORMS, spelledOut } from './short-forms.ts'

/** What the first words of a command line mean. */
export type Found =
  | { kind: 'operation'; operation: AnyOperation; rest: string[] }
  | { kind: 'noun'; noun: string; operations: readonly AnyOperation[] }

/** Finds the operation that a command line names: `noun verb`, a single word, a plural or singular of the noun, or `show` and
 *  `get` for each other. Throws `usage` with the nearest names. */
export async function findCommand(words: string[], catalogue: Catalogue, otherCommands: string[]): Promise<Found> {
  const [first = '', ...rest] = spelledOut(words)
  const noun = catalogue.groups.map(group => group.noun).find(known => sameNoun(known, first))
  if (noun === undefined)
    throw unknownWord('command', first, [
      ...catalogue.groups.map(group => group.noun),
      ...SHORT_FORMS.map(({ word }) => word),
      ...otherCommands,
    ])
  const operations = await catalogue.group(noun)
  const single = operations.find(operation => operation.name === noun)
  if (single) return { kind: 'operation', operation: single, rest }
  const [verb] = rest
  if (verb === undefined || verb.startsWith('-')) return { kind: 'noun', noun, operations }
  if (noun === 'system' && SINGLE_WORDS.includes(verb)) return findCommand(rest, catalogue, otherCommands)
  const operation = byVerb(operations, noun, verb)
  if (operation) return { kind: 'operation', operation, rest: rest.slice(1) }
  throw unknownWord(`verb of ${noun}`, verb, operations.map(verbOf), noun)
}

export function verbOf(operation: AnyOperation): string {
  return operation.name.slice(operation.name.indexOf('.') + 1)
}

const TWINS = new Map([
  ['show', 'get'],
  ['get', 'show'],
])

function byVerb(operations: readonly AnyOperation[], noun: string, verb: string): AnyOperation | undefined {
  const named = (word: string | undefined): AnyOperation | undefined => operations.find(operation => operation.name === `${noun}.${word}`)
  return named(verb) ?? named(TWINS.get(verb))
}

function sameNoun(known: string, given: string): boolean {
  return known === given || known === `${given}s` || `${known}s` === given
}

function unknownWord(what: string, word: string, known: string[], noun?: string): Usage {
  const near = nearest(word, known)
  return new Usage(
    `There is no ${what} ${JSON.stringify(word)}.${near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ` There are: ${known.join(', ')}.`}`,
    {
      details: { word, near },
      next:
        noun === undefined
          ? { command: 'qed --help', why: 'It lists every command.' }
          : { command: `qed ${noun} --help`, why: 'It lists its verbs.' },
    },
  )
}
