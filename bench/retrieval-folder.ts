import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { spawnNodeChild } from "../src/box/core/children/child.ts"
import { newId } from "../src/box/core/ids.ts"
import { silentLogger } from "../src/box/core/logging/logger.ts"
import type { EmbeddingEngine } from "../src/box/engines/engine.ts"
import { createTextEmbedder } from "../src/box/engines/embedding/text-embedder.ts"
import { createLlamaEmbedder } from "../src/box/engines/llama/llama-encoders.ts"
import { testGpu } from "../src/box/engines/llama/testing/test-models.ts"
import { openPassageIndex } from "../src/box/engines/vectors/passage-index.ts"
import type { StoredPassage } from "../src/box/features/retrieval/collect.ts"
import { createSearch } from "../src/box/features/retrieval/search.ts"
import type { Strategy } from "../src/shared/contract/folders.ts"
import { corpusPath } from "./retrieval-corpus.ts"

/** The weak embedding model next to the project. */
export function openEmbedder(): EmbeddingEngine | undefined {
  const modelPath = corpusPath("models", "potion-base-2M-f16.gguf")
  if (modelPath === undefined) return undefined
  return createLlamaEmbedder({ modelPath, spawn: spawnNodeChild, gpu: testGpu, logger: silentLogger })
}

/** A separate folder with a real index and real search; its passages are in memory. */
export async function openFolder(
  embedder: (Pick<EmbeddingEngine, "embed" | "dimensions"> & { model: { id: string } }) | undefined,
) {
  const directory = await mkdtemp(join(tmpdir(), "bench-retrieval-"))
  const vectorId = crypto.randomUUID()
  const stored = new Map<string, StoredPassage>()
  const files = new Map<string, string>()
  const index = await openPassageIndex({
    directory: join(directory, "index"),
    ...(embedder
      ? { embedding: { modelId: embedder.model.id, dimensions: await embedder.dimensions() } }
      : {}),
    passages: async function* () {},
    logger: silentLogger,
  })
  const texts = embedder && createTextEmbedder(embedder, { query: "", document: "" })
  const searcher = createSearch({
    index,
    embedder: texts,
    findPassagesById: (ids) => Promise.resolve(ids.flatMap((id) => stored.get(id) ?? [])),
    names: {
      holding: (words) =>
        Promise.resolve(
          [...files].flatMap(([name, fileId]) =>
            words.flat().some((word) => name.toLowerCase().includes(word)) ? [{ fileId, name }] : [],
          ),
        ),
      findFirstPassages: (fileIds) =>
        Promise.resolve(
          fileIds.flatMap((fileId) => {
            const first = [...stored.values()].find((passage) => passage.fileId === fileId)
            return first ? [{ id: first.id, fileId }] : []
          }),
        ),
    },
    logger: silentLogger,
  })
  return {
    async add(passages: { name: string; text: string }[]): Promise<void> {
      const vectors = await texts?.embed(
        passages.map(({ text }) => text),
        "document",
      )
      const records = passages.map(({ name, text }, position) => {
        const fileId = files.get(name) ?? crypto.randomUUID()
        files.set(name, fileId)
        const passage = { id: newId(), fileId, vectorId, text }
        stored.set(passage.id, {
          ...passage,
          fileName: name,
          relativePath: `${vectorId}/${name}`,
          location: {},
        })
        const embedding = vectors?.[position]
        return embedding ? { ...passage, embedding } : passage
      })
      await index.put(records)
    },
    found: (query: string, strategy: Strategy, topK: number) =>
      searcher.search({ query, vectorIds: [vectorId], topK, strategy }),
    async search(query: string, strategy: Strategy, topK: number) {
      return (await searcher.search({ query, vectorIds: [vectorId], topK, strategy })).results
    },
    async [Symbol.asyncDispose]() {
      await index[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
