import type { Passage } from "../../../shared/contract/folders.ts"
import type { Ranked } from "./fusion.ts"
import { repeats, getWording } from "./same-wording.ts"

/** Database content of a passage that may be shown. */
export type StoredPassage = Omit<Passage, "score" | "rank">

export interface OmittedPassage extends Pick<Passage, "id" | "score" | "rank"> {
  reason: "below_filter" | "duplicate" | "not_best"
}

export interface Collected {
  /** Best first. */
  results: Passage[]
  others: OmittedPassage[]
}

export interface CollectOptions {
  /** Number of results needed. */
  wanted: number
  /** Minimum relevance in percent for passages of the folder. */
  getFilter(vectorId: string): number
  /** The lowest of these percentages. */
  lowestFilter: number
  /** Passages by ID, in any order; deleted ones are left out. */
  findPassagesById(ids: string[]): Promise<StoredPassage[]>
}

/** The best passages of a ranking that still exist and pass their folder's filter. Copies of the same text appear once. */
export async function collect(ranked: readonly Ranked[], options: CollectOptions): Promise<Collected> {
  const { wanted, getFilter, lowestFilter, findPassagesById } = options
  const results: Passage[] = []
  const wordings: string[] = []
  const others: OmittedPassage[] = []
  const relevant = ranked.filter((hit) => passes(hit, lowestFilter))
  const batch = wanted * 2
  let from = 0
  while (from < relevant.length && results.length < wanted) {
    const some = relevant.slice(from, from + batch)
    const stored = new Map((await findPassagesById(some.map(({ id }) => id))).map((one) => [one.id, one]))
    for (const hit of some) {
      if (results.length === wanted) break
      from++
      const passage = stored.get(hit.id)
      if (!passage) continue
      if (!passes(hit, getFilter(passage.vectorId))) {
        others.push({ ...hit, reason: "below_filter" })
        continue
      }
      const wording = getWording(passage.text)
      const same = results.find(({ fileId }, index) => {
        const known = wordings[index] ?? ""
        return wording === known || (fileId !== passage.fileId && repeats(wording, known))
      })
      if (same) {
        nameAlso(same, passage)
        others.push({ ...hit, reason: "duplicate" })
      } else {
        results.push({ ...passage, ...hit })
        wordings.push(wording)
      }
    }
  }
  for (const hit of relevant.slice(from)) others.push({ ...hit, reason: "not_best" })
  for (const hit of ranked.slice(relevant.length)) others.push({ ...hit, reason: "below_filter" })
  return { results, others }
}

const passes = ({ score }: { score: number }, filter: number) => score * 100 >= filter

function nameAlso(passage: Passage, { fileId, fileName, vectorId, relativePath }: StoredPassage): void {
  const known = [passage, ...(passage.alsoIn ?? [])]
  if (known.some((file) => file.fileId === fileId)) return
  passage.alsoIn = [...(passage.alsoIn ?? []), { fileId, fileName, vectorId, relativePath }]
}
