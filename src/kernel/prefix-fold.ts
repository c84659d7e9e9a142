/** Folds lists that mostly grow at their end, as the frames of a conversation do: items that stand where they stood the last
 *  time, by identity, are not folded again. */
export function prefixFold<T extends object, R>(initial: R, step: (before: R, item: T) => R): (items: readonly T[]) => R {
  const known: { item: T; folded: R }[] = []
  return items => {
    let same = 0
    while (same < known.length && known[same]?.item === items[same]) same++
    known.length = same
    for (const item of items.slice(same)) known.push({ item, folded: step(known.at(-1)?.folded ?? initial, item) })
    return known.at(-1)?.folded ?? initial
  }
}
