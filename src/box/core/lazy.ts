/** Makes a value when it is first asked for, and keeps it: for what takes long to make and isn't needed at a start. */
export function lazy<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}
