import { appendFileSync } from "node:fs"
import { AppError } from "../../src/shared/contract/errors.ts"
import { createBook, type Book, type Journal } from "./book.ts"

/** The same ledger, with separate books for another person. */
export const getLedger = (person: string, ledger: Ledger): Pick<Ledger, "book"> => ({
  book: <S>(name: string) => ledger.book<S>(`${person}: ${name}`),
})

export interface Ledger {
  book<S>(name: string): Book<S>
  /** The box's refusals, newest last. */
  readonly refusals: string[]
  /** Unexpected answers, such as `internal`. */
  readonly unexpected: string[]
  readonly cut: number
}

/** Acknowledged writes, kept outside the box. Every step is also appended to a file, for analysing failures. */
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

/** Nothing was listening, so nothing was written. */
function isUnreachable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ("code" in cause && cause.code === "ECONNREFUSED") return true
  return false
}
