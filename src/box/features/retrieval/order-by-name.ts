import type { StoredPassage } from "./collect.ts"
import type { FileNames, NameMatch } from "./file-names.ts"
import type { Ranked } from "./fusion.ts"

/** How much it adds to a passage's value that its file's name says all of what the question says about names. */
const nameWeight = 0.5
/** A word that a sixth of the passages say counts half. */
const saidPower = 4
/** Share of the question that a name must hold for its file to be found by nothing else. */
const foundByName = 0.5
const mostFoundByName = 20

interface Deps extends Pick<FileNames, "firstPassages"> {
  passagesById(this: void, ids: string[]): Promise<StoredPassage[]>
}

/**
 * Orders passages by what the names of their files say, too: words that a passage lacks count if its file's name holds
 * them, a file that is asked for by its name comes first, and is found even if none of its text is. The scores are
 * handed out in the new order, so that a percentage means what it meant before.
 */
export async function orderByName(
  ranked: readonly Ranked[],
  matches: ReadonlyMap<string, NameMatch>,
  { passagesById, firstPassages }: Deps,
): Promise<Ranked[]> {
  const stored = new Map((await passagesById(ranked.map(({ id }) => id))).map((one) => [one.id, one]))
  const found = ranked.flatMap((hit) => {
    const passage = stored.get(hit.id)
    return passage ? [{ hit, fileId: passage.fileId, text: passage.text.toLowerCase() }] : []
  })
  const files = new Set(found.map(({ fileId }) => fileId))
  const missing = [...matches].filter(([id, { coverage }]) => coverage >= foundByName && !files.has(id))
  const added = (await firstPassages(missing.slice(0, mostFoundByName).map(([id]) => id))).map(
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
    const said = match.held
      .filter((forms) => !says(text, forms))
      .reduce((sum, forms) => sum + (weights.get(forms) ?? 0), 0)
    const value = hit.score * (1 + (nameWeight * said) / Math.max(1, match.nameable))
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

/** What a word counts in a name: little if many of the texts say it, because the search has judged it by these. */
function wordWeights(matches: ReadonlyMap<string, NameMatch>, texts: readonly string[]) {
  const words = new Set([...matches.values()].flatMap(({ held }) => held))
  return new Map(
    [...words].map((forms) => {
      const saying = texts.filter((text) => says(text, forms)).length
      return [forms, (1 - saying / Math.max(1, texts.length)) ** saidPower]
    }),
  )
}

const says = (text: string, forms: readonly string[]) => forms.some((form) => text.includes(form))
