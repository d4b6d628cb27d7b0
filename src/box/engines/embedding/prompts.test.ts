import { expect, test } from "vitest"
import { type EmbeddingFamily, promptsFor } from "./text-embedder.ts"

const families: EmbeddingFamily[] = [
  { names: ["e5-large-instruct"], query: "Instruct: find\nQuery: ", document: "" },
  { names: ["e5-small", "e5-large"], query: "query: ", document: "passage: " },
]

// Catches names that are recognised in only one spelling, and other names that merely look similar.
test.each([
  ["a header's name", ["Multilingual E5 Small"], "query: "],
  ["a file", [undefined, "multilingual-e5-large-q8_0.gguf"], "query: "],
  ["a server's name", ["intfloat/e5-small-v2"], "query: "],
  ["the more exact family", ["multilingual-e5-large-instruct"], "Instruct: find\nQuery: "],
  ["part of another word", ["e5-smaller", "some5-small"], ""],
  ["nothing", [], ""],
])("recognises a family by %s", (_, names, query) => expect(promptsFor(names, families).query).toBe(query))
