/** What `make` makes, made when it is first asked for, and again only after it failed. */
export function onceUntilFailed<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    if (made) return made
    const making = make()
    making.catch(() => (made = undefined))
    return (made = making)
  }
}
