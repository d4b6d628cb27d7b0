import { t } from "i18next"
import type { Passage } from "../../../shared/contract/folders.ts"
import { matchedWords } from "./matched-words.ts"

type Found = Partial<Pick<Passage, "rank">> & Pick<Passage, "text">

/** Why a passage was found, in people's words; nothing where it wasn't searched for, but read with all the others. */
export function formatMatches({ rank = {}, text }: Found, query = ""): string {
  if (Object.keys(rank).length === 0) return ""
  const words = matchedWords(query, text)
  if (words.length > 0) return t("passages:matches", { words: words.map((word) => `“${word}”`).join(", ") })
  if (rank.name !== undefined) return t("passages:nameMatches")
  return rank.semantic === undefined ? "" : t("passages:closeInMeaning")
}
