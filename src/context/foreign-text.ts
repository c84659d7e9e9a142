const CLOSER = /<(\/?)data\b/gi

/** Text from outside in a marked block, so that a model can tell it from what it was told. A mark inside it is defused. */
export function asData(text: string, source: string): string {
  const name = source.replace(/["\n<>]/g, ' ').slice(0, 200)
  return `<data from="${name}">\n${text.replace(CLOSER, '<$1data\u200b')}\n</data>`
}
