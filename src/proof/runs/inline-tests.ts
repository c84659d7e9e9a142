/** How tests look that stand inside production files, by the end of the file's name. */
const INLINE: { files: RegExp; tests: (text: string) => string[] }[] = [
  {
    files: /\.rs$/,
    tests: text => [afterFirst(text, '#[cfg(test)]'), ...matches(text, /#\[(?:\w+::)*test\b[^\n]*|^\s*\/\/[/!].*\bassert\w*!.*$/gm)],
  },
  { files: /\.pyi?$/, tests: text => matches(text, /^\s*>>> .*(?:\n\s*\.\.\. .*)*/gm) },
]

/** The tests inside a file that is not test-side, as one text; empty where there are none (F-14). */
export function inlineTests(path: string, text: string): string {
  const row = INLINE.find(({ files }) => files.test(path))
  return row ? row.tests(text).join('\n') : ''
}

function afterFirst(text: string, mark: string): string {
  const at = text.indexOf(mark)
  return at < 0 ? '' : text.slice(at)
}

function matches(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ([found]) => found)
}
