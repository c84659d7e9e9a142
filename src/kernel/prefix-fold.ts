/** Folds lists that mostly grow at their end, as the frames of a conversation do: items that stand where they stood the last
 *  time, by identity, are not folded again. */
export function prefixFold<T extends object, R>(initial: R, step: (before: R, item: T) => R): (items: readonly T[]) => R {
  const known: { item: T; folded: R }[] = []
  return items => {
    const changed = known.findIndex(({ item }, i) => items[i] !== item)
    if (changed >= 0) known.length = changed
    for (let i = known.length; i < items.length; i++) {
      const item = items[i] as T
      known.push({ item, folded: step(known.at(-1)?.folded ?? initial, item) })
    }
    return known.at(-1)?.folded ?? initial
  }
}
