const rowsPerStatement = 200

/** Yields rows or IDs in groups of as many as one statement accepts. */
export function* slices<T>(items: readonly T[]): Generator<T[]> {
  for (let from = 0; from < items.length; from += rowsPerStatement)
    yield items.slice(from, from + rowsPerStatement)
}
