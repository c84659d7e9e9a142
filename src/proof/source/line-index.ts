/** Where the lines of a text begin. Lines are numbered from 0. */
export class LineIndex {
  readonly starts: readonly number[]

  constructor(text: string) {
    const starts = [0]
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
    this.starts = starts
  }

  /** The line in which a position stands. */
  lineAt(position: number): number {
    let [low, high] = [0, this.starts.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.starts[middle] ?? 0) <= position) low = middle
      else high = middle - 1
    }
    return low
  }
}
