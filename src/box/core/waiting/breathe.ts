/** Work that is longer lets everything else have its turn in between. */
const longestMs = 10

/** When the first of those who ask in this turn of the event loop began. */
let began: number | undefined

/**
 * For loops over many rows, and between statements: settles at once, or, when this turn of the event loop has lasted for a
 * while, after everything else had its turn. Waiting for the database doesn't do that, because SQLite answers at once.
 */
export async function breathe(): Promise<void> {
  if (began !== undefined && performance.now() - began > longestMs) await new Promise(setImmediate)
  if (began !== undefined) return
  began = performance.now()
  setImmediate(() => (began = undefined))
}

/** The items in groups of so many, with a breath before each. */
export async function* inBreaths<T>(items: readonly T[], atOnce: number): AsyncGenerator<T[]> {
  for (let from = 0; from < items.length; from += atOnce) {
    await breathe()
    yield items.slice(from, from + atOnce)
  }
}
