/** Creates a value at its first use and keeps it: for values that take long to create and aren't needed at the start. */
export function lazy<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}
