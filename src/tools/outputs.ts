import { join } from 'node:path'

// What a command printed beyond what is shown lies outside of every root. A model reads it by a name that only leads there, and that
// nobody can guess.
const NAME = /^output:([0-9a-f]{24}\.(?:stdout|stderr))$/

/** The file of an output that a model names; null where the path is none of these names. */
export function outputFile(path: string, folder: string): string | null {
  const name = NAME.exec(path)?.[1]
  return name === undefined ? null : join(folder, name)
}

/** How a model names the file of an output. */
export function outputName(file: string): string {
  return `output:${file.slice(file.lastIndexOf('/') + 1)}`
}
