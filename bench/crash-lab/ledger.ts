import { appendFileSync } from "node:fs"
import { AppError } from "../../src/shared/contract/errors.ts"
import { createBook, type Book, type Journal } from "./book.ts"

/** The same ledger with books of somebody else's. */
export const ledgerOf = (person: string, ledger: Ledger): Pick<Ledger, "book"> => ({
  book: <S>(name: string) => ledger.book<S>(`${person}: ${name}`),
})

export interface Ledger {
  book<S>(name: string): Book<S>
  /** What the box said when it refused something, newest last. */
  readonly refusals: string[]
  /** Answers that weren't to be expected, such as `internal`. */
  readonly unexpected: string[]
  readonly cut: number
}

/** Acknowledged writes, kept outside the box. Every step is also appended to a file, for whoever looks at a failure. */
export function createLedger(file: string): Ledger {
  const books = new Map<string, Book<unknown>>()
  const unexpected: string[] = []
  const refusals: string[] = []
  let cut = 0
  const journal: Journal = {
    note: (book, step, name, state) =>
      appendFileSync(file, `${JSON.stringify({ at: new Date().toISOString(), book, step, name, state })}\n`),
    isRefusal(error, book, name) {
      const answered = error instanceof AppError && error.cause === undefined
      if (answered) refusals.push(error.message)
      if (answered && error.status >= 500 && error.code !== "disk_full" && error.code !== "unavailable")
        unexpected.push(`${book} ${name}: ${error.code}: ${error.message}`)
      return isUnreachable(error) || (answered && (error.status < 500 || error.code === "disk_full"))
    },
    cut: () => void cut++,
  }

  return {
    book<S>(name: string) {
      const book = books.get(name) ?? (createBook<S>(name, journal) as Book<unknown>)
      books.set(name, book)
      return book as Book<S>
    },
    refusals,
    unexpected,
    get cut() {
      return cut
    },
  }
}

/** Nobody listened, so nobody wrote. */
function isUnreachable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ("code" in cause && cause.code === "ECONNREFUSED") return true
  return false
}
