/**
 * Analysis of text for keyword search. The index stores what `analysePassages` returns and splits it at spaces only, so
 * the same words of a query and of a passage must come out of here the same way, in every language.
 */

const segmenter = new Intl.Segmenter("und", { granularity: "word" })
const passagesPerTurn = 32

/** The searchable terms of each passage, separated by spaces. Gives way to other work in between. */
export async function analysePassages(texts: string[]): Promise<string[]> {
  const analysed: string[] = []
  for (const [position, text] of texts.entries()) {
    if (position % passagesPerTurn === passagesPerTurn - 1) await new Promise(setImmediate)
    analysed.push(terms(text).join(" "))
  }
  return analysed
}

/** The terms to look for. */
export async function analyseQuery(text: string): Promise<string[]> {
  return [...new Set(terms(text))]
}

function terms(text: string): string[] {
  const found: string[] = []
  for (const { segment, isWordLike } of segmenter.segment(text.normalize("NFKC").toLowerCase())) {
    if (isWordLike) found.push(segment)
  }
  return found
}
