/** A repeatable sequence of numbers from 0 to 1: the same seed gives the same numbers. */
export interface Random {
  (): number
  /** An integer from 0 to below `end`. */
  below(end: number): number
  /** One of the items; undefined if there are none. */
  oneOf<T>(items: readonly T[]): T | undefined
  /** A word of hexadecimal digits. */
  word(): string
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const below = (end: number) => Math.floor(next() * end)
  return Object.assign(next, {
    below,
    oneOf: <T>(items: readonly T[]) => items[below(items.length)],
    word: () => below(2 ** 31).toString(16),
  })
}
