/** Calls a function for the first call within this many milliseconds, and ignores the others. */
export function throttle(
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
