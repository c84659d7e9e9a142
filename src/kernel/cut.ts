/** A text in at most `most` columns. What is left out is counted at its end: `abc...+120`. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text
  const kept = Math.max(0, most - '...+'.length - String(text.length).length)
  // Half of a character outside the basic plane is none.
  const end = /[\uD800-\uDBFF]$/.test(text.slice(0, kept)) ? kept - 1 : kept
  return `${text.slice(0, end)}...+${text.length - end}`
}
