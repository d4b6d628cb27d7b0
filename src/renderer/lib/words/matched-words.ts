import { t } from "i18next"
import type { Passage } from "../../../shared/contract/folders.ts"
import { getWords } from "../../../shared/words/words.ts"

const maxListed = 3
/** Shorter words are usually function words, unless they are numbers or names in capitals. */
const shortest = 4
/** Function words of this length or longer, in the most common languages. */
const small = new Set(
  (
    "what when where which with this that these those from have does about there their into your will would " +
    "come cosa dove quando quale quali sono della delle degli dello nella questo questa quanto perché anche " +
    "wann welche welcher welches eine einen einer nicht sind wird nach oder über dieser diese gibt haben"
  ).split(" "),
)
const maxRead = 4000

/** Returns words that a text shares with a question, spelled as in the text. The longest come first, because they say the most. */
export function matchedWords(question: string, text: string): string[] {
  const wanted = new Set(
    getWords(question.slice(0, maxRead))
      .filter(({ written }) => written.length >= shortest || /\p{N}|^\p{Lu}{2,}$/u.test(written))
      .filter(({ written }) => !small.has(written.toLowerCase()))
      .map(({ folded }) => folded),
  )
  const found = new Map<string, string>()
  for (const { written, folded } of getWords(text.slice(0, maxRead)))
    if (wanted.has(folded) && !found.has(folded)) found.set(folded, written)
  return [...found.values()].toSorted((a, b) => b.length - a.length).slice(0, maxListed)
}

type Found = Partial<Pick<Passage, "rank">> & Pick<Passage, "text">

/** Explains why a passage was found; empty if it wasn't found by a search but read with all the others. */
export function formatMatches({ rank = {}, text }: Found, query = ""): string {
  if (Object.keys(rank).length === 0) return ""
  const words = matchedWords(query, text)
  if (words.length > 0)
    return t("passages:matches", { words: words.map((text) => t("search:quoted", { text })).join(", ") })
  if (rank.name !== undefined) return t("passages:nameMatches")
  return rank.semantic === undefined ? "" : t("passages:closeInMeaning")
}
