import { InvalidInput, type QedError, Usage } from '../../kernel/errors.ts'
import { kebabCase } from '../../kernel/names.ts'
import { commandOf } from '../../operations/invoke.ts'
import type { AnyOperation } from '../../operations/operation.ts'
import { shortFormOf } from './short-forms.ts'

/** A mistake in a command line in its own words, and where to look. A program gets keys and pointers instead, as on every surface. */
export function wrongUse(error: QedError, operation: AnyOperation, said?: string): QedError {
  if (error.next) return error
  const { positional = [] } = operation
  const short = shortFormOf(operation, said)
  const next = { command: `${short ? `qed ${short.word}` : commandOf(operation)} --help`, why: 'It shows what goes where.' }
  if (error instanceof Usage) return new Usage(error.message, { next, ...(error.details && { details: error.details }) })
  if (!(error instanceof InvalidInput)) return error
  const named = error.issues.map(({ path, message }) => ({ path: path && wordOf(path, positional), message: inWords(message) }))
  return new InvalidInput('This does not fit', named, { next })
}

function wordOf(pointer: string, positional: readonly string[]): string {
  const [key = ''] = pointer.slice(1).split('/')
  return positional.includes(key) ? `<${key}>` : `--${kebabCase(key)}`
}

const inWords = (message: string): string => message.replace(/^Invalid input: /, '')
