import { sql } from "kysely"

/** Text without differences of case, in every script: SQL's own comparison knows ASCII only. */
export const foldCase = (text: string): string => text.normalize("NFC").toUpperCase().normalize("NFC")

/** The pattern of `like` for what holds the text; `%` and `_` stand for themselves. */
export const containsAnywhere = (text: string): string =>
  `%${text.replace(/[\\%_]/g, (character) => `\\${character}`)}%`

/** Condition that a folded column holds the text, in any case. */
export function containsFolded(column: string, text: string) {
  return sql<boolean>`${sql.ref(column)} like ${containsAnywhere(foldCase(text))} escape '\\'`
}
