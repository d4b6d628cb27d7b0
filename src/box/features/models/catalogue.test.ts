import { tmpdir } from "node:os"
import { expect, test } from "vitest"
import { silentLogger } from "../../core/logging/logger.ts"
import { promptsFor } from "../../engines/embedding/text-embedder.ts"
import { readCatalogue, readEmbeddingFamilies } from "./catalogue.ts"

const families = await readEmbeddingFamilies(tmpdir(), silentLogger)
const embedding = (await readCatalogue(tmpdir())).filter(({ purpose }) => purpose === "embedding")

// Catches an embedding model in the catalogue without known prompts for queries and passages.
test.each(embedding)("$name belongs to a known family, by its name and by its file", ({ name, file }) => {
  const unknown = { names: [""], query: "?", document: "?" }
  expect(promptsFor([name], [...families, unknown])).toEqual(promptsFor([file], families))
  expect(
    families.some((family) => promptsFor([name], [{ ...family, query: "known" }]).query === "known"),
  ).toBe(true)
})

// Catches prompts that are mistyped or used on the wrong side.
test.each([
  ["nomic-embed-text-v1.5", "search_query: ", "search_document: "],
  ["EmbeddingGemma 300M", "task: search result | query: ", "title: none | text: "],
  ["multilingual-e5-base", "query: ", "passage: "],
  ["bge-large-en-v1.5", "Represent this sentence for searching relevant passages: ", ""],
  ["snowflake-arctic-embed-l-v2.0", "query: ", ""],
  ["snowflake-arctic-embed-m", "Represent this sentence for searching relevant passages: ", ""],
  ["bge-m3", "", ""],
  ["all-MiniLM-L6-v2", "", ""],
  ["text-embedding-3-small", "", ""],
])("%s", (name, query, document) => expect(promptsFor([name], families)).toEqual({ query, document }))
