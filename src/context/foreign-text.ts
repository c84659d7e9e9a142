// Blanks and a slash in between do not make it another mark to a reader. What was defused already stays as it is.
const MARK = /<(\s*\/?\s*)data(?!\u200b)(?![\w-])/gi
const BLOCK = /^<data from="[^"\n]*">\n([\s\S]*)\n<\/data>$/

/** Text from outside in a marked block, so that a model can tell it from what it was told. A mark inside it is defused. */
export function asData(text: string, source: string): string {
  const name = source.replace(/["\n<>]/g, ' ').slice(0, 200)
  return `<data from="${name}">\n${text.replace(MARK, '<$1data\u200b')}\n</data>`
}

/** What stands in a marked block; other text as it is. */
export function dataIn(text: string): string {
  return BLOCK.exec(text)?.[1] ?? text
}
