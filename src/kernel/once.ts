/** Makes something when it is first asked for, and only then. One that could not be made stays so. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}
