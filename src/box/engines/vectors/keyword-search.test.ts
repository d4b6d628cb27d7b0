import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { searchKeywords } from "./keyword-search.ts"
import { openLanceTable } from "./lance/lance-table.ts"
import { tablesIn } from "./tables-location.ts"
import { createTermDictionary, type TermSource } from "./terms/term-dictionary.ts"
import { analysePassages } from "./text/search-text.ts"

const folder = "0190a000-0000-7000-8000-000000000001"
const logger = { info: () => undefined, warn: () => undefined, error: () => undefined }

// Catches a LanceDB query for each word before the search itself, because each one costs as much as the search.
test("a search queries LanceDB once, even for rare, unknown and misspelt words", async () => {
  const root = await mkdtemp(join(tmpdir(), "keyword-search-"))
  const table = await openLanceTable({ location: tablesIn(join(root, "tables")), dimensions: undefined })
  const dictionary = createTermDictionary({ directory: join(root, "terms"), state: "new", logger })
  try {
    const texts = ["The warranty lasts two years.", "Trains leave at noon."]
    const heard: TermSource[] = []
    const analysed = await analysePassages(texts, (_, terms) => heard.push({ vectorId: folder, terms }))
    const rows = analysed.map((text) => {
      return { id: crypto.randomUUID(), vectorId: folder, fileId: folder, text, embedding: undefined }
    })
    await table.upsert(rows)
    await dictionary.add(heard)
    await dictionary.settle(rows.length)
    let queries = 0
    const counted = {
      keyword: (...asked: Parameters<typeof table.keyword>) => (queries++, table.keyword(...asked)),
    }
    const deps = {
      search: <Hit>(find: (one: typeof counted, hasOwners: boolean) => Promise<Hit[]>) =>
        find(counted, false),
      getTermLookup: dictionary.getTermLookup,
    }
    for (const [question, first] of [
      ["the warranty of two years", rows[0]],
      ["waranty of xylophones and zeppelins", rows[0]],
      ["when do the trians leave", rows[1]],
    ] as const) {
      queries = 0
      const [hit] = await searchKeywords(deps, question, [folder], 10)
      expect(hit?.id, question).toBe(first?.id)
      expect(queries, question).toBe(1)
    }
  } finally {
    table.close()
    await rm(root, { recursive: true, force: true })
  }
})
