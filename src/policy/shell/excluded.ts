import type { Word } from './word.ts'

/** Names that an option leaves out wherever they stand, files and whole folders. A pattern with a path in it may mean less. */
export function excludedNames(patterns: readonly Word[]): string[] {
  return patterns.filter(({ kind, text }) => kind === 'static' && !text.includes('/')).flatMap(({ text }) => [text, `${text}/`])
}
