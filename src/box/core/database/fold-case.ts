import { sql } from "kysely"

/** Text without differences of case, in every script: SQL's own comparison knows ASCII only. */
export const foldCase = (text: string): string => text.normalize("NFC").toUpperCase().normalize("NFC")

/** Condition that a folded column holds the text, in any case; `%` and `_` stand for themselves. */
export function containsFolded(column: string, text: string) {
  const pattern = `%${foldCase(text).replace(/[\\%_]/g, (character) => `\\${character}`)}%`
  return sql<boolean>`${sql.ref(column)} like ${pattern} escape '\\'`
}
