import { t } from "i18next"
import type { Passage } from "../../../shared/contract/folders.ts"
import { matchedWords } from "./matched-words.ts"

type Found = Partial<Pick<Passage, "rank">> & Pick<Passage, "text">

/** Explains why a passage was found; empty if it wasn't found by a search but read with all the others. */
export function formatMatches({ rank = {}, text }: Found, query = ""): string {
  if (Object.keys(rank).length === 0) return ""
  const words = matchedWords(query, text)
  if (words.length > 0) return t("passages:matches", { words: words.map((word) => `“${word}”`).join(", ") })
  if (rank.name !== undefined) return t("passages:nameMatches")
  return rank.semantic === undefined ? "" : t("passages:closeInMeaning")
}
