import type { FolderTerm } from "../../../../shared/contract/facts.ts"
import type { CountedTerm } from "./count-terms.ts"
import { rankTerms, type Spread } from "./rank-terms.ts"

/** Different terms that are kept of a folder; those of later files aren't. */
const mostKeys = 200_000

/** What many documents of a folder say, and in how many of them each term stands. */
export function createFolderTerms() {
  const known = new Map<string, { term: CountedTerm; count: number; files: number }>()
  let documents = 0
  const spread: Spread = {
    get documents() {
      return documents
    },
    holding: (key) => known.get(key)?.files ?? 0,
  }

  return {
    spread,

    add(terms: readonly CountedTerm[]): void {
      documents++
      for (const term of terms) {
        const one = known.get(term.key)
        if (one) [one.count, one.files] = [one.count + term.count, one.files + 1]
        else if (known.size < mostKeys)
          known.set(term.key, { term: { ...term, places: [] }, count: term.count, files: 1 })
      }
    },

    /** What the folder is about: frequent in some of its documents, and not in all of them alike. */
    terms(): FolderTerm[] {
      const all = [...known.values()].map(({ term, count }) => ({ ...term, count }))
      return rankTerms(all, spread).map(({ key, form, count }) => ({
        term: form,
        count,
        files: known.get(key)?.files ?? 0,
      }))
    },
  }
}
