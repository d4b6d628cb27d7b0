/** The items in groups of at most so many, and of at most so much weight together unless one alone has more. */
export function* packed<T>(
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
