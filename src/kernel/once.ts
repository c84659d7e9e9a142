/** Makes something when it is first asked for, and only then. One that could not be made stays so. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}
