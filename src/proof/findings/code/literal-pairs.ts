// Pairs of literal inputs and outputs, in a form in which a test and a table that spell out the same can be compared.

/** Nothing but literals, brackets and commas. */
const LITERALS =
  /^(?:\s|[[\](){},:&]|-?\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?[a-z]{0,3}\d{0,2}|(["'`])(?:(?!\1)[^\\\n]|\\.)*\1|\b(?:true|false|True|False|null|None|nil|undefined|Some|Ok|Err)\b)+$/

export function isLiteral(text: string): boolean {
  return text.length <= 400 && text.trim() !== '' && LITERALS.test(text)
}

/** The literal without its dress: `[1, 2]`, `"1,2"` and `1, 2` are alike. */
function normal(text: string): string {
  return text.replace(/["'`\s()[\]{}&]/g, '').replace(/,$/, '')
}

export function pairKey(input: string, output: string): string | null {
  return isLiteral(input) && isLiteral(output) ? `${normal(input)} → ${normal(output)}` : null
}
