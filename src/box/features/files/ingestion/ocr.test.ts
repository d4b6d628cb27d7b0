import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { spawnNodeChild } from "../../../core/children/child.ts"
import { silentLogger } from "../../../core/logging/logger.ts"
import { createDocumentReader, type DocumentReader } from "../../../parsers/process/document-reader.ts"
import { failure, skipped } from "../../../parsers/parser.ts"
import { makePdf } from "../../../parsers/testing/make-pdf.ts"
import { encodeBmp, encodeTiff, drawPicture } from "../../../parsers/testing/make-picture.ts"
import { messageBytes } from "../../../parsers/testing/compound-files.ts"
import { startFolderServer, type FolderServer } from "../../../testing/folder-server.ts"

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "casella-ocr-"))
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

type Bytes = ConstructorParameters<typeof Blob>[0]

async function upload(server: FolderServer, id: string, fileName: string, bytes: Bytes): Promise<string> {
  const file = new Blob(bytes)
  const receipt = await server.getClient("alice").files.upload({ params: { id }, file, fileName })
  return receipt.files[0]?.id ?? ""
}

/** Settles when a file is in this phase. */
function waitForPhase(server: FolderServer, fileName: string, phase: string): Promise<void> {
  return new Promise((resolve) => {
    server.listen((_userIds, message) => {
      if (message.type === "file" && message.file.name === fileName && message.file.phase === phase) resolve()
    })
  })
}

// Catches scans that are never read, lose their text pages, or can't be found.
test("reads scans with OCR, in a separate phase", async () => {
  await using server = await startFolderServer({ dataDir })
  const { folders, files } = server.getClient("alice")
  const { id } = (await folders.create({ body: { name: "Scans" } })).vector
  const recognising = waitForPhase(server, "scan.pdf", "ocr")
  const scan = makePdf([
    { lines: [{ text: "A page with text about the walrus." }] },
    { picture: await drawPicture("A page about the porcupine.") },
  ])
  const fileId = await upload(server, id, "scan.pdf", [new Uint8Array(scan)])
  await recognising
  await server.ingestion.whenIdle()
  const { file } = await files.read({ params: { id, fileId } })
  expect(file).toMatchObject({
    status: "completed",
    attempts: 1,
    note: "The text of 1 of 2 pages was recognised in images.",
  })
  for (const [query, page] of [
    ["walrus", 1],
    ["porcupine", 2],
  ] as const) {
    const { results } = await folders.search({ body: { query, vector: [id] } })
    expect(results.map(({ location }) => location)).toEqual([{ page }])
  }
})

// Catches text that can't be found during OCR, and pages that are read twice or end up in the wrong order.
test("finds text next to scanned pages immediately, and resumes OCR where it was", async () => {
  await using inner = createDocumentReader({ spawn: spawnNodeChild, logger: silentLogger })
  const asked: (number | undefined)[] = []
  const ocr = Promise.withResolvers<void>()
  let gate = Promise.withResolvers<void>()
  const reader: Pick<DocumentReader, "read"> = {
    async *read(input, options) {
      const page = input.scan?.page
      asked.push(page)
      if (page === undefined) return yield* inner.read(input, options)
      if (page === 3) {
        ocr.resolve()
        const ended = Promise.withResolvers<never>()
        options?.signal?.addEventListener("abort", () => ended.reject(options.signal?.reason))
        await Promise.race([gate.promise, ended.promise])
      }
      if (page === 5) throw failure("picture_too_intricate")
      yield { kind: "paragraph", text: `porcupine ${page}`, location: { page } }
    },
  }
  const picture = { width: 60, height: 80, pixels: new Uint8Array(4800) }
  const written = (animal: string) => ({ lines: [{ text: `A page with text about the ${animal}.` }] })
  const scan = makePdf([written("walrus"), { picture }, { picture }, written("penguin"), { picture }])
  let id: string
  let fileId: string
  {
    await using server = await startFolderServer({ dataDir, reader })
    const { folders, files } = server.getClient("alice")
    id = (await folders.create({ body: { name: "Scans" } })).vector.id
    fileId = await upload(server, id, "mixed.pdf", [new Uint8Array(scan)])
    await ocr.promise
    const { file } = await files.read({ params: { id, fileId } })
    expect(file).toMatchObject({
      status: "processing",
      phase: "ocr",
      progress: 60,
      note: "The text on 2 of 5 pages is still being recognised.",
    })
    for (const [query, page] of [
      ["walrus", 1],
      ["porcupine", 2],
      ["penguin", 4],
    ] as const) {
      const { results } = await folders.search({ body: { query, vector: [id] } })
      expect(results.map(({ location }) => location)).toEqual([{ page }])
    }
  } // the box stops in the middle of page 3
  gate = Promise.withResolvers()
  gate.resolve()
  await using server = await startFolderServer({ dataDir, reader })
  await server.ingestion.whenIdle()
  expect(asked).toEqual([undefined, 2, 3, 3, 5])
  const { files } = server.getClient("alice")
  const { file } = await files.read({ params: { id, fileId } })
  expect(file).toMatchObject({ status: "completed", attempts: 1, progress: 100 })
  expect(file.note).toBe(
    "The text of 2 of 5 pages was recognised in images. The text in the images on 1 of 5 pages couldn't be recognised.",
  )
  expect(file.reasons).toEqual([
    { code: "pages_by_ocr", values: { pages: 2, count: 5 } },
    { code: "pages_unread_by_ocr", values: { pages: 1, count: 5 } },
  ])
  const text = await (await files.text({ params: { id, fileId } })).text()
  expect(text.match(/walrus|porcupine \d|penguin/g)).toEqual([
    "walrus",
    "porcupine 2",
    "porcupine 3",
    "penguin",
  ])
  const passages = await server.db.selectFrom("passages").selectAll().orderBy("position").execute()
  expect(passages.map(({ position, location }) => [position, JSON.parse(location)])).toEqual(
    [1, 2, 3, 4].map((page, position) => [position, { page }]),
  )
})

// Catches a document that loses its only text because OCR fails, and a failure without a reason.
test("keeps existing text when OCR fails, and reports the failure if there is no other text", async () => {
  await using inner = createDocumentReader({ spawn: spawnNodeChild, logger: silentLogger })
  const reader: Pick<DocumentReader, "read"> = {
    async *read(input, options) {
      if (input.scan) throw skipped("no_ocr")
      yield* inner.read(input, options)
    },
  }
  const picture = { width: 60, height: 80, pixels: new Uint8Array(4800) }
  const text = { lines: [{ text: "A page with text about the walrus." }] }
  await using server = await startFolderServer({ dataDir, reader })
  const { folders, files } = server.getClient("alice")
  const { id } = (await folders.create({ body: { name: "Scans" } })).vector
  const mixed = await upload(server, id, "mixed.pdf", [new Uint8Array(makePdf([text, { picture }]))])
  const bare = await upload(server, id, "bare.pdf", [new Uint8Array(makePdf([{ picture }]))])
  await server.ingestion.whenIdle()
  const getState = async (fileId: string) => (await files.read({ params: { id, fileId } })).file
  expect(await getState(mixed)).toMatchObject({
    status: "completed",
    note: "The text in the images on 1 of 2 pages couldn't be recognised.",
  })
  expect(await getState(bare)).toMatchObject({
    status: "skipped",
    error: "This file contains images of text, and text recognition isn't available here.",
    reasons: [{ code: "no_ocr" }],
  })
})

// Catches a long scan that delays all others until its last page.
test("reads a long scan page by page, so that others can go first", async () => {
  await using inner = createDocumentReader({ spawn: spawnNodeChild, logger: silentLogger })
  const asked: string[] = []
  const started = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  await using server = await startFolderServer({
    dataDir,
    reader: {
      async *read(input, options) {
        if (!input.scan) return yield* inner.read(input, options)
        const { page } = input.scan
        asked.push(`${input.name} ${page}`)
        started.resolve()
        await gate.promise
        yield { kind: "paragraph", text: `porcupine ${page}`, location: { page } }
      },
    },
  })
  const { folders, files } = server.getClient("alice")
  const { id } = (await folders.create({ body: { name: "Scans" } })).vector
  const page = { width: 8, height: 8, pixels: new Uint8Array(64) }
  const long = await upload(server, id, "long.tif", [new Uint8Array(encodeTiff(page, page, page))])
  await started.promise
  const waits = waitForPhase(server, "short.tif", "ocr")
  await upload(server, id, "short.tif", [new Uint8Array(encodeTiff(page))])
  await waits
  gate.resolve()
  await server.ingestion.whenIdle()
  expect(asked).toEqual(["long.tif 1", "short.tif 1", "long.tif 2", "long.tif 3"])
  const { file } = await files.read({ params: { id, fileId: long } })
  expect(file).toMatchObject({
    status: "completed",
    attempts: 1,
    note: "The text of 3 of 3 pages was recognised in images.",
  })
})

// Catches attachments whose scans can't be found, and messages whose text waits for them.
test("finds scans in attachments", async () => {
  await using server = await startFolderServer({ dataDir })
  const { folders, files } = server.getClient("alice")
  const { id } = (await folders.create({ body: { name: "Mail" } })).vector
  const message = messageBytes({
    "note.txt": Buffer.from("A note about the walrus."),
    "fax.tif": encodeTiff(await drawPicture("A page about the porcupine.")),
  })
  const fileId = await upload(server, id, "mail.msg", [new Uint8Array(message)])
  await server.ingestion.whenIdle()
  const { file } = await files.read({ params: { id, fileId } })
  expect(file).toMatchObject({
    status: "completed",
    attempts: 1,
    note: "The text of 1 of 1 page was recognised in an image.",
  })
  for (const [query, heading] of [
    ["walrus", "note.txt"],
    ["porcupine", "fax.tif"],
  ] as const) {
    const { results } = await folders.search({ body: { query, vector: [id] } })
    expect(results.map(({ location }) => location.heading)).toEqual([heading])
  }
  const text = await (await files.text({ params: { id, fileId } })).text()
  expect(text.match(/walrus|porcupine/g)).toEqual(["walrus", "porcupine"])
})

// Catches text documents that wait until earlier scans are read.
test("reads text while scans wait", async () => {
  await using inner = createDocumentReader({ spawn: spawnNodeChild, logger: silentLogger })
  const gate = Promise.withResolvers<void>()
  await using server = await startFolderServer({
    dataDir,
    reader: {
      async *read(input, options) {
        if (options?.ocr) await gate.promise
        else yield* inner.read(input, options)
      },
    },
  })
  const { folders, files } = server.getClient("alice")
  const { id } = (await folders.create({ body: { name: "Mixed" } })).vector
  const picture = new Uint8Array(encodeBmp({ width: 1, height: 1, pixels: new Uint8Array(1) }))
  const scans: string[] = []
  for (let number = 0; number < 8; number++) {
    scans.push(await upload(server, id, `scan-${number}.bmp`, [picture]))
  }
  const done = waitForPhase(server, "note.txt", "done")
  await upload(server, id, "note.txt", ["A note."])
  await done
  gate.resolve()
  await server.ingestion.whenIdle()
  for (const fileId of scans) {
    const { file } = await files.read({ params: { id, fileId } })
    expect(file).toMatchObject({ status: "completed", note: "No text was found in this file." })
  }
})
