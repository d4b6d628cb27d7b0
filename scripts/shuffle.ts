/** The same entries in an order that the seed determines. */
export function shuffle<T>(entries: readonly T[], seed: number): T[] {
  let state = seed >>> 0
  /** Mulberry32: returns the next number of a sequence from 0 up to 1. */
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return entries
    .map((entry) => ({ entry, place: next() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ entry }) => entry)
}
