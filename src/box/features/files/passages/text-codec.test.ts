import { zstdCompressSync } from "node:zlib"
import { expect, test } from "vitest"
import type { Block } from "../../../parsers/parser.ts"
import { newId } from "../../../core/ids.ts"
import { extractPieces } from "../ingestion/read-job.ts"
import type { Job } from "../ingestion/job.ts"
import { rechunk } from "./rechunk.ts"
import { decodeBlocks } from "./stored-texts.ts"

const conflict = { code: "conflict", message: expect.stringMatching(/Re-index the file/) as string }

// Catches a few kilobytes from an altered backup that fill the memory because they are decompressed without a limit.
test("a stored text that decompresses to more than a piece can hold is refused", async () => {
  const bomb = zstdCompressSync(Buffer.concat([Buffer.alloc(17 * 2 ** 20, " "), Buffer.from("[]")]))
  expect(bomb.length).toBeLessThan(10_000)
  await expect(decodeBlocks(bomb)).rejects.toMatchObject(conflict)
})

// Catches an unknown error, which ends an answer without saying what to do.
test.each([
  ["no zstd", Buffer.from("0011", "hex")],
  ["no JSON", zstdCompressSync("{")],
  ["no blocks", zstdCompressSync('[{"kind":"other"}]')],
])("a stored text that is %s is refused with an error that says what to do", async (_, stored) => {
  await expect(decodeBlocks(stored)).rejects.toMatchObject(conflict)
})

// Catches a document of many tiny parts, such as a list of single letters, whose text is stored but can't be read back.
test("a document of very short blocks is stored in pieces that can be read back", async () => {
  const heading = "\u4e2d".repeat(300)
  const block: Block = { kind: "paragraph", text: "x", location: { heading, page: 1 } }
  async function* blocks() {
    for (let number = 0; number < 20_000; number++) yield block
  }
  async function* chunk(read: AsyncIterable<Block>) {
    let number = 0
    for await (const { text, location } of read) if (++number % 500 === 0) yield { text, location }
  }
  const job = { id: newId(), size: 20_000 } as unknown as Job
  let count = 0
  for await (const piece of extractPieces(job, blocks(), chunk, { notes: [] }, null))
    count += (await decodeBlocks(piece.blocks)).length
  expect(count).toBe(20_000)
})

// Catches an unreadable text that stops all other files from being chunked again.
test("a file whose text can't be read keeps its passages, and the next file is chunked again", async () => {
  const files = ["a", "b"].map((id) => ({ id, folderId: "f", revision: 1 }))
  const renewed: string[] = []
  const store = {
    next: async (_: number, after: string) => files.find(({ id }) => id > after),
    dropDrafts: async () => undefined,
    addDrafts: async () => undefined,
    useDrafts: async ({ id }: { id: string }) => renewed.push(id) > 0,
    records: async function* () {},
    findFolder: async () => "f",
  }
  const texts = {
    async *blocks(id: string) {
      if (id === "a") yield await decodeBlocks(Buffer.alloc(0))
    },
  }
  const index = { removeFile: async () => undefined, put: async () => undefined }
  const chunk = async function* (read: AsyncIterable<Block>) {
    for await (const { text, location } of read) yield { text, location }
  }
  const deps = { store, texts, index, chunk, chunkerVersion: 1 }
  await rechunk(deps, new AbortController().signal)
  expect(renewed).toEqual(["b"])
})
