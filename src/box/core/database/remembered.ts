/** Identifies the state of a database: it changes with each row that anyone writes. Null: the state is unknown now. */
export type DatabaseState = () => string | null

/**
 * Remembers the value that was read for a key until anything is written, by this process or another, so that its answers are always the
 * database's current ones. Keeps at most `most` keys. Null isn't remembered, so that callers can't fill the memory with missing keys.
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
    // The value may lack a change that was written in the meantime.
    if (value === null || knownAt !== now) return value
    if (known.size >= most) known.clear()
    known.set(key, value)
    return value
  }
}
