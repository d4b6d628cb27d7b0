import type { FolderTerm } from "../../../../shared/contract/facts.ts"
import type { CountedTerm } from "./count-terms.ts"
import { rankTerms, type Spread } from "./rank-terms.ts"

/** The terms of a folder, and in how many of its documents each occurs. */
export interface FolderTerms {
  terms: FolderTerm[]
  spread: Spread
}

/** Maximum number of different terms counted per folder. Those of later files aren't counted. */
const maxKeys = 200_000

/** Counts the terms in the documents of a folder. */
export function createFolderCounter() {
  const known = new Map<string, { term: CountedTerm; count: number; files: number }>()
  let documents = 0

  return {
    add(terms: readonly CountedTerm[]): void {
      documents++
      for (const term of terms) {
        const one = known.get(term.key)
        if (one) [one.count, one.files] = [one.count + term.count, one.files + 1]
        else if (known.size < maxKeys)
          known.set(term.key, { term: { ...term, places: [] }, count: term.count, files: 1 })
      }
    },

    /** Sorts terms so that those frequent in some documents, but not in all alike, come first. */
    result(): FolderTerms {
      const sharedTerms = new Map<string, number>()
      for (const [key, { files }] of known) if (files > 1) sharedTerms.set(key, files)
      const spread = { documents, countDocuments: (key: string) => sharedTerms.get(key) ?? 1 }
      const all = [...known.values()].map(({ term, count }) => ({ ...term, count }))
      const terms = rankTerms(all, spread).map(({ key, form, count }) => ({
        term: form,
        count,
        files: spread.countDocuments(key),
      }))
      return { terms, spread }
    },
  }
}
