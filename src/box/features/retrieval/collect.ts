import type { Passage } from "../../../shared/contract/folders.ts"
import type { Ranked } from "./ranking.ts"

/** Minimum share of a passage that must appear in another, without interruption, for it to add nothing. */
const repeatedShare = 0.95
const anchorLength = 48

/**
 * Only the letters and numbers of a text. They stay the same when a document is saved in another format, wrapped, hyphenated or punctuated
 * differently.
 */
export function getWording(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/(?<=\p{N})[.,](?=\p{N})/gu, "_")
    .replace(/[^\p{L}\p{N}\p{M}_]+/gu, "")
}

/**
 * Whether a wording adds nothing to another one, except at its edges. A change inside it, such as another amount or a "not", always makes a
 * difference: similar paragraphs of two contracts aren't the same.
 */
export function repeats(wording: string, known: string): boolean {
  if (wording === known) return true
  const needed = Math.ceil(wording.length * repeatedShare)
  if (wording.length < anchorLength || known.length < needed) return false
  const middle = Math.floor((wording.length - anchorLength) / 2)
  const anchor = wording.slice(middle, middle + anchorLength)
  for (let at = known.indexOf(anchor); at >= 0; at = known.indexOf(anchor, at + 1)) {
    let before = 0
    while (before < middle && before < at && wording[middle - 1 - before] === known[at - 1 - before]) before++
    let end = anchorLength
    while (
      middle + end < wording.length &&
      at + end < known.length &&
      wording[middle + end] === known[at + end]
    ) {
      end++
    }
    if (before + end >= needed) return true
  }
  return false
}

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
