/** Tells one state of a database from any other: it changes with each row that anyone writes. Null: it can't be known now. */
export type DatabaseState = () => string | null

/**
 * Remembers what was read for a key until anything at all was written, by this process or another: what is answered is what the
 * database would answer now. At most so many keys; null isn't remembered, so that nobody fills it with what there isn't.
 */
export function createRemembered<T>(state: DatabaseState, most: number) {
  const known = new Map<string, T>()
  let knownAt: string | null = null
  return async <Read extends T | null>(key: string, read: () => Promise<Read>): Promise<T | Read> => {
    const now = state()
    if (now === null) return read()
    if (now !== knownAt) known.clear()
    knownAt = now
    const before = known.get(key)
    if (before !== undefined) return before
    const value = await read()
    // What was written meanwhile may be missing in it.
    if (value === null || knownAt !== now) return value
    if (known.size >= most) known.clear()
    known.set(key, value)
    return value
  }
}
