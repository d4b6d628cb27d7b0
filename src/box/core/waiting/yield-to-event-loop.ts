/** Longer work yields to other tasks at this interval. */
const maxSliceMs = 10

/** When the first caller in this turn of the event loop started. */
let sliceStartedAt: number | undefined

/**
 * For loops over many rows, and between statements. Settles at once, or, if this turn of the event loop has lasted too long, after other
 * tasks have run. Waiting for the database doesn't yield, because SQLite answers at once.
 */
export async function yieldToEventLoop(): Promise<void> {
  if (sliceStartedAt !== undefined && performance.now() - sliceStartedAt > maxSliceMs)
    await new Promise(setImmediate)
  if (sliceStartedAt !== undefined) return
  sliceStartedAt = performance.now()
  setImmediate(() => (sliceStartedAt = undefined))
}

/** Yields the items in groups of this size, with a pause for other tasks before each group. */
export async function* chunksWithYield<T>(items: readonly T[], batchSize: number): AsyncGenerator<T[]> {
  for (let from = 0; from < items.length; from += batchSize) {
    await yieldToEventLoop()
    yield items.slice(from, from + batchSize)
  }
}

/** Splits the items into groups of a maximum size and a maximum total weight. A single item that exceeds the weight gets its own group. */
export function* batchByWeight<T>(
  items: readonly T[],
  weigh: (item: T) => number,
  max: { items: number; weight: number },
): Generator<T[]> {
  let group: T[] = []
  let sum = 0
  for (const item of items) {
    const weight = weigh(item)
    if (group.length === max.items || (group.length > 0 && sum + weight > max.weight)) {
      yield group
      group = []
      sum = 0
    }
    group.push(item)
    sum += weight
  }
  if (group.length > 0) yield group
}
