/** Calls a function for the first of all calls within so many milliseconds, and for none of the others. */
export function atMostEach(
  milliseconds: number,
  call: () => void,
  now: () => number = () => performance.now(),
): () => void {
  let last = Number.NEGATIVE_INFINITY
  return () => {
    if (now() < last + milliseconds) return
    last = now()
    call()
  }
}
