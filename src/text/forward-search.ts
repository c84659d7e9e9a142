/** Asks `find` for the next place at or after a position (-1: none) and remembers the answer. Questions that move forward
 *  through a text then cost one walk over it, however many are asked. */
export function forwardSearch(find: (from: number) => number): (from: number) => number {
  let asked = -1
  let answer = -1
  return from => {
    const known = asked >= 0 && from >= asked && (answer < 0 || from <= answer)
    if (!known) {
      asked = from
      answer = find(from)
    }
    return answer
  }
}
