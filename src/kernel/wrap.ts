/** A text broken at spaces into lines of at most `width` columns, the second and later ones after `indent`, which does not count.
 *  A word longer than a line stands alone and is not cut. */
export function wrap(text: string, width: number, indent: string): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].join(`\n${indent}`)
}
