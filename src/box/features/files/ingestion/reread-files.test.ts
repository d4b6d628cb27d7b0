import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import type { Block } from "../../../parsers/parser.ts"
import { failure } from "../../../parsers/parser.ts"
import type { DocumentReader } from "../../../parsers/process/document-reader.ts"
import { startFolderServer, type FolderServer, type TestEmbedder } from "../../../testing/folder-server.ts"

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "casella-reread-"))
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

/** Text of a document: its paragraphs, or the reason why it can't be read. */
type Content = readonly string[] | Error
type Contents = Record<string, Content>

/** A reader with a version, which finds these texts. */
function makeReader(version: number, contents: Contents) {
  const read: string[] = []
  const reader: Pick<DocumentReader, "read"> = {
    async *read({ name, scan }, options) {
      read.push(scan ? `${name} ${scan.page}` : name)
      const content = contents[name] ?? []
      const hasScans = !(content instanceof Error) && content.includes("")
      options?.onReaders?.(`${hasScans ? "ocr.1 " : ""}pdf.${version}`)
      if (content instanceof Error) throw content
      if (scan) {
        yield toBlock(`ocr ${scan.page}`, scan.page)
        return
      }
      const scans = content.flatMap((text, index) => (text === "" ? [{ page: index + 1 }] : []))
      if (scans.length > 0) options?.onScans?.({ scans, pageCount: content.length })
      for (const [index, text] of content.entries()) if (text !== "") yield toBlock(text, index + 1)
    },
  }
  return { reader, read }
}

const toBlock = (text: string, page: number): Block => ({ kind: "paragraph", text, location: { page } })

/** Cuts each block into a passage. */
async function* chunk(blocks: AsyncIterable<Block>) {
  for await (const { text, location } of blocks) yield { text, location }
}
const chunker = { chunk, version: 1 }

function makeEmbedder(): TestEmbedder & { seen: string[] } {
  const seen: string[] = []
  return {
    modelId: "model",
    seen,
    getExcludedFolders: () => Promise.resolve(new Set()),
    dimensions: () => Promise.resolve(2),
    embed(texts) {
      seen.push(...texts)
      return Promise.resolve(texts.map(() => new Float32Array([1, 0])))
    },
  }
}

async function upload(server: FolderServer, id: string, fileName: string): Promise<string> {
  const file = new Blob([fileName])
  const receipt = await server.getClient("alice").files.upload({ params: { id }, file, fileName })
  return receipt.files[0]?.id ?? ""
}

async function getTexts(server: FolderServer, fileId: string): Promise<string[]> {
  const texts: string[] = []
  for await (const blocks of server.passages.blocks(fileId)) texts.push(...blocks.map(({ text }) => text))
  return texts
}

const getPassages = (server: FolderServer, fileId: string) =>
  server.db.selectFrom("passages").selectAll().where("fileId", "=", fileId).orderBy("position").execute()

/** Indexes files with an old reader, and leaves them as a database of that version. Returns the folder and the files. */
async function indexWithOldReader(contents: Contents) {
  const { reader } = makeReader(0, contents)
  await using server = await startFolderServer({ dataDir, reader, chunker, embedder: makeEmbedder() })
  const { id } = (await server.getClient("alice").folders.create({ body: { name: "Old" } })).vector
  const fileIds: string[] = []
  for (const name of Object.keys(contents)) fileIds.push(await upload(server, id, name))
  await server.ingestion.whenIdle()
  // The reader says that it is older than the program's, so this reads the files again at every start.
  return { id, fileIds }
}

async function startWithNewReader(contents: Contents) {
  const { reader, read } = makeReader(3, contents)
  const embedder = makeEmbedder()
  const server = await startFolderServer({ dataDir, reader, chunker, embedder })
  const rows = () => server.db.selectFrom("files").selectAll().orderBy("name").execute()
  await server.ingestion.whenIdle()
  return { server, read, embedder, rows }
}

// Catches files that keep the text of an older reader, are found by their old text, or are embedded again although their text is the same.
test("reads files again that an older reader read, and embeds only new text", async () => {
  const { id, fileIds } = await indexWithOldReader({ "a.txt": ["walrus", "broken"], "b.txt": ["penguin"] })
  const { server, read, embedder, rows } = await startWithNewReader({
    "a.txt": ["walrus", "porcupine"],
    "b.txt": ["penguin"],
  })
  await using _ = server
  expect(read).toEqual(["a.txt", "b.txt"])
  expect(embedder.seen).toEqual(["porcupine"])
  expect(await getTexts(server, fileIds[0] ?? "")).toEqual(["walrus", "porcupine"])
  expect((await rows()).map(({ status, readers, revision }) => [status, readers, revision])).toEqual([
    ["completed", "pdf.3", 2],
    ["completed", "pdf.3", 1],
  ])
  const find = async (query: string) =>
    (await server.getClient("alice").folders.search({ body: { query, vector: [id] } })).results.length
  expect([await find("broken"), await find("porcupine"), await find("walrus")]).toEqual([0, 1, 1])
  server.ingestion.requestReread()
  await server.ingestion.whenIdle()
  expect(read).toHaveLength(2)
})

// Catches new passages, and so dead citations, for a file whose text is the same.
test("keeps the passages of a file whose text is the same", async () => {
  const { fileIds } = await indexWithOldReader({ "a.txt": ["walrus", "penguin"] })
  const { server, rows } = await startWithNewReader({ "a.txt": ["walrus", "penguin"] })
  await using _ = server
  const [first] = await rows()
  expect(first).toMatchObject({ readers: "pdf.3", revision: 1 })
  const passages = await getPassages(server, fileIds[0] ?? "")
  expect(passages.map(({ text, position }) => [text, position])).toEqual([
    ["walrus", 0],
    ["penguin", 1],
  ])
})

// Catches a file that loses its text because a newer reader fails, and that is tried at every start.
test("keeps the text of a file that the newer reader can't read", async () => {
  const { fileIds } = await indexWithOldReader({ "a.txt": ["walrus"] })
  const { server, rows } = await startWithNewReader({ "a.txt": failure("pdf_damaged") })
  await using _ = server
  expect(await getTexts(server, fileIds[0] ?? "")).toEqual(["walrus"])
  expect(await rows()).toMatchObject([{ status: "completed", readers: "pdf.3", error: null }])
})

// Catches a file that stays failed although a newer reader can read it, and automations that run because of that.
test("indexes a file that an older reader couldn't read, without its arriving", async () => {
  const { fileIds } = await indexWithOldReader({ "a.txt": failure("pdf_damaged") })
  const { server, rows } = await startWithNewReader({ "a.txt": ["walrus"] })
  await using _ = server
  expect(await rows()).toMatchObject([{ status: "completed", error: null, arrivedRevision: 0 }])
  expect(await getTexts(server, fileIds[0] ?? "")).toEqual(["walrus"])
})

// Catches pages that are recognised again, lose their text, or are put at the wrong place.
test("keeps the text of scanned pages, and recognises only new ones", async () => {
  const { fileIds } = await indexWithOldReader({ "a.txt": ["walrus", "", "stamp"] })
  const { server, read, rows } = await startWithNewReader({ "a.txt": ["walrus", "", ""] })
  await using _ = server
  expect(read).toEqual(["a.txt", "a.txt 3"])
  expect(await getTexts(server, fileIds[0] ?? "")).toEqual(["walrus", "ocr 2", "ocr 3"])
  const passages = await getPassages(server, fileIds[0] ?? "")
  expect(passages.map(({ text }) => text)).toEqual(["walrus", "ocr 2", "ocr 3"])
  expect(await rows()).toMatchObject([
    { status: "completed", note: "The text of 2 of 3 pages was recognised in images.", arrivedRevision: 1 },
  ])
})

// Catches files that are read although someone changed them meanwhile, and folders that are read while they are paused.
test("leaves changed files and paused folders alone", async () => {
  const { id } = await indexWithOldReader({ "a.txt": ["walrus"], "b.txt": ["penguin"] })
  {
    const { reader } = makeReader(0, {})
    await using server = await startFolderServer({ dataDir, reader, chunker, isInPlace: () => false })
    await server.db.updateTable("folders").set({ paused: 1 }).execute()
    await server.db.updateTable("files").set({ contentHash: "other" }).where("name", "=", "a.txt").execute()
  }
  const { server, read, rows } = await startWithNewReader({ "a.txt": ["new"], "b.txt": ["penguin"] })
  await using _ = server
  expect(read).toEqual([])
  const { vector } = await server.getClient("alice").folders.read({ params: { id } })
  expect(vector.outdatedCount).toBe(2)
  await server.getClient("alice").folders.update({ params: { id }, body: { paused: false } })
  await server.ingestion.whenIdle()
  expect((await rows()).map(({ readers }) => readers)).toEqual(["pdf.0", "pdf.3"])
})

// Catches passages of a moved file that are put into the folder it was in, where no one finds them, and texts sent to a model that may read
// only that folder.
test("finds a file in the folder to which it was moved while it was read again", async () => {
  const { id, fileIds } = await indexWithOldReader({ "a.txt": ["walrus"] })
  const [fileId = ""] = fileIds
  const { reader } = makeReader(3, { "a.txt": ["walrus", "porcupine"] })
  const isRead = Promise.withResolvers<void>()
  const isMoved = Promise.withResolvers<void>()
  const embedder = makeEmbedder()
  await using server = await startFolderServer({
    dataDir,
    chunker,
    embedder,
    reader: {
      async *read(...given) {
        yield* reader.read(...given)
        isRead.resolve()
        await isMoved.promise
      },
    },
  })
  const { folders } = server.getClient("alice")
  const target = (await folders.create({ body: { name: "New" } })).vector.id
  await isRead.promise
  const to = { folderId: target, subFolder: "", name: "a.txt" }
  const nothingElse = { taken: () => Promise.resolve(), put: () => Promise.resolve() }
  await server.files.move("alice", fileId, { ...to, folderId: id }, to, nothingElse)
  isMoved.resolve()
  await server.ingestion.whenIdle()
  const { results } = await folders.search({ body: { query: "walrus", vector: [target] } })
  expect(results.map((found) => found.vectorId)).toEqual([target])
  expect(embedder.seen).toEqual([])
})
