/** Splits the items into groups of a maximum size and a maximum total weight. A single item that exceeds the weight gets its own group. */
export function* batchByWeight<T>(
  items: readonly T[],
  weigh: (item: T) => number,
  most: { items: number; weight: number },
): Generator<T[]> {
  let group: T[] = []
  let sum = 0
  for (const item of items) {
    const weight = weigh(item)
    if (group.length === most.items || (group.length > 0 && sum + weight > most.weight)) {
      yield group
      group = []
      sum = 0
    }
    group.push(item)
    sum += weight
  }
  if (group.length > 0) yield group
}
