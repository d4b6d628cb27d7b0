const quoted = /"([^"]+)"|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|「([^「」]+)」|『([^『』]+)』/gu
const betweenWords = /[^\p{L}\p{N}\p{M}]+/gu
/** Scripts without spaces between words, in which a phrase may start anywhere. */
const unspaced = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Mymr}]/u
const maxPhrases = 4

/**
 * Returns a function that checks whether a text contains all quoted phrases of the question word for word; `null` if there are no quotes.
 */
export function createPhraseMatcher(query: string): ((text: string) => boolean) | null {
  const phrases = Array.from(query.matchAll(quoted), (match) => plain(match.slice(1).find(Boolean) ?? ""))
    .filter((phrase) => phrase !== "")
    .slice(0, maxPhrases)
  if (phrases.length === 0) return null
  return (text) => {
    const words = ` ${plain(text)} `
    return phrases.every((phrase) =>
      unspaced.test(phrase)
        ? words.replaceAll(" ", "").includes(phrase.replaceAll(" ", ""))
        : words.includes(` ${phrase} `),
    )
  }
}

const plain = (text: string) => text.normalize("NFKC").toLowerCase().replace(betweenWords, " ").trim()
