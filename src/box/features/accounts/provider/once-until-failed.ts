/** Returns a function that calls `make` on first use and keeps the result. It calls `make` again only after a failure. */
export function memoiseUntilFailure<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    if (made) return made
    const making = make()
    making.catch(() => (made = undefined))
    return (made = making)
  }
}
