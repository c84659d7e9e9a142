interface Pair {
  have: number
  seen: number
}

/** Dice's coefficient of one text with many others, over pairs of neighbouring UTF-16 units, each counted as often as it occurs. */
export function diceWith(text: string): (other: string) => number {
  const pairs = new Map<number, Pair>()
  for (let i = 1; i < text.length; i++) {
    const key = (text.charCodeAt(i - 1) << 16) | text.charCodeAt(i)
    const pair = pairs.get(key)
    if (pair) pair.have++
    else pairs.set(key, { have: 1, seen: 0 })
  }
  const touched: Pair[] = []
  return other => {
    if (text.length < 2 || other.length < 2) return text === other ? 1 : 0
    let shared = 0
    for (let i = 1; i < other.length; i++) {
      const pair = pairs.get((other.charCodeAt(i - 1) << 16) | other.charCodeAt(i))
      if (!pair) continue
      if (pair.seen === 0) touched.push(pair)
      if (pair.seen++ < pair.have) shared++
    }
    for (const pair of touched) pair.seen = 0
    touched.length = 0
    return (2 * shared) / (text.length + other.length - 2)
  }
}

/** The most that two texts of these lengths can have in common. */
export function mostDice(a: number, b: number): number {
  return a < 2 || b < 2 ? 1 : (2 * (Math.min(a, b) - 1)) / (a + b - 2)
}
