/** The first of so many indices for which a question is answered with yes; from there on it always is. The count where none is. */
export function firstIndex(count: number, isReached: (index: number) => boolean): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >> 1
    if (isReached(middle)) high = middle
    else low = middle + 1
  }
  return low
}
