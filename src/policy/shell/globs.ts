import { absolutePath } from './folders.ts'
import type { ShellReading } from './reading.ts'

/** The absolute patterns whose matches a second reading needs as facts. Quoted wildcards in them are escaped by a backslash. */
export function globsOf(reading: ShellReading): string[] {
  const patterns = reading.segments.flatMap(({ argv, redirects, cwd }) =>
    [...argv, ...redirects.map(({ target }) => target)]
      .filter(word => word.kind === 'glob')
      .flatMap(({ text }) => (text.startsWith('/') ? ['/'] : (cwd ?? [])).map(folder => absolutePath(folder, text))),
  )
  return [...new Set(patterns)]
}
