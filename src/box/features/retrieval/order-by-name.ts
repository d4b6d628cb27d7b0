import type { StoredPassage } from "./collect.ts"
import type { FileNames, NameMatch } from "./file-names.ts"
import type { Ranked } from "./ranking.ts"

/** Maximum bonus for a passage, relative to its score, if its file's name contains all nameable words of the question. */
const nameWeight = 0.5
/** Steepness of the weighting: a word that a sixth of the passages contain counts half. */
const rarityExponent = 4
/** Minimum share of the question that a name must contain for its file to be found by name alone. */
const foundByName = 0.5
const maxFoundByName = 20

/**
 * Orders passages also by the names of their files. Words that a passage lacks count if its file's name contains them. A file that the
 * question names comes first, and is found even if none of its text is. The existing scores are reassigned in the new order, so that a
 * percentage keeps its meaning.
 */
export async function orderByName(
  ranked: readonly Ranked[],
  matches: ReadonlyMap<string, NameMatch>,
  {
    findPassagesById,
    findFirstPassages,
  }: Pick<FileNames, "findFirstPassages"> & {
    findPassagesById(this: void, ids: string[]): Promise<StoredPassage[]>
  },
): Promise<Ranked[]> {
  const stored = new Map((await findPassagesById(ranked.map(({ id }) => id))).map((one) => [one.id, one]))
  const found = ranked.flatMap((hit) => {
    const passage = stored.get(hit.id)
    return passage ? [{ hit, fileId: passage.fileId, text: passage.text.toLowerCase() }] : []
  })
  const files = new Set(found.map(({ fileId }) => fileId))
  const missing = [...matches].filter(([id, { coverage }]) => coverage >= foundByName && !files.has(id))
  const added = (await findFirstPassages(missing.slice(0, maxFoundByName).map(([id]) => id))).map(
    ({ id, fileId }) => ({
      hit: { id, score: matches.get(fileId)?.coverage ?? 0, rank: {} } satisfies Ranked,
      fileId,
      text: "",
    }),
  )
  const weights = wordWeights(
    matches,
    found.map(({ text }) => text),
  )
  const seen = new Set<string>()
  const valued = [...found, ...added].map(({ hit, fileId, text }) => {
    const match = matches.get(fileId)
    if (!match) return { hit, value: hit.score }
    const first = match.coverage === 1 && !seen.has(fileId)
    seen.add(fileId)
    const nameOnlyWeight = match.held
      .filter((forms) => !mentions(text, forms))
      .reduce((sum, forms) => sum + (weights.get(forms) ?? 0), 0)
    const value = hit.score * (1 + (nameWeight * nameOnlyWeight) / Math.max(1, match.nameable))
    return {
      hit: { ...hit, rank: { ...hit.rank, name: match.rank } },
      value: first ? value + 1 + nameWeight : value,
    }
  })
  const scores = valued.map(({ hit }) => hit.score).sort((a, b) => b - a)
  return valued
    .sort((a, b) => b.value - a.value)
    .map(({ hit }, place) => ({ ...hit, score: scores[place] ?? 0 }))
}

/**
 * Weight of each word in a name. It is small if many of the texts contain the word, because the search has already taken it into account.
 */
function wordWeights(matches: ReadonlyMap<string, NameMatch>, texts: readonly string[]) {
  const words = new Set([...matches.values()].flatMap(({ held }) => held))
  return new Map(
    [...words].map((forms) => {
      const mentionCount = texts.filter((text) => mentions(text, forms)).length
      return [forms, (1 - mentionCount / Math.max(1, texts.length)) ** rarityExponent]
    }),
  )
}

const mentions = (text: string, forms: readonly string[]) => forms.some((form) => text.includes(form))
