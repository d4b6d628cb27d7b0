const quoted = /"([^"]+)"|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|「([^「」]+)」|『([^『』]+)』/gu
const betweenWords = /[^\p{L}\p{N}\p{M}]+/gu
/** Scripts that have no spaces between words, so that a phrase may begin anywhere. */
const unspaced = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Mymr}]/u
const mostPhrases = 4

/** Tells whether a text holds all that a question puts in quotes, word for word; `null` when there are no quotes. */
export function createPhraseFinder(query: string): ((text: string) => boolean) | null {
  const phrases = Array.from(query.matchAll(quoted), (match) => plain(match.slice(1).find(Boolean) ?? ""))
    .filter((phrase) => phrase !== "")
    .slice(0, mostPhrases)
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
