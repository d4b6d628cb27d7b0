import { sql } from "kysely"

/** Returns the text without differences of case, in every script: SQL's own comparison handles only ASCII. */
export const foldCase = (text: string): string => text.normalize("NFC").toUpperCase().normalize("NFC")

/** Returns the `like` pattern for values that contain the text; `%` and `_` are matched literally. */
export const containsAnywhere = (text: string): string =>
  `%${text.replace(/[\\%_]/g, (character) => `\\${character}`)}%`

/** Returns a condition that a folded column contains the text, in any case. */
export function containsFolded(column: string, text: string) {
  return sql<boolean>`${sql.ref(column)} like ${containsAnywhere(foldCase(text))} escape '\\'`
}
