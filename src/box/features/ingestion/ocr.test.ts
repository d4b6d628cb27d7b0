import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { spawnNodeChild } from "../../core/child.ts"
import { silentLogger } from "../../core/logger.ts"
import { createDocumentReader } from "../../parsers/document-reader.ts"
import { makePdf } from "../../parsers/testing/make-pdf.ts"
import { encodeBmp, pictureOf } from "../../parsers/testing/make-picture.ts"
import { startFolderServer, type FolderServer } from "../../testing/folder-server.ts"

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "casella-ocr-"))
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

type Bytes = ConstructorParameters<typeof Blob>[0]

async function upload(server: FolderServer, id: string, fileName: string, bytes: Bytes): Promise<string> {
  const file = new Blob(bytes)
  const receipt = await server.clientOf("alice").files.upload({ params: { id }, file, fileName })
  return receipt.files[0]?.id ?? ""
}

/** Settles when a file is in this phase. */
function inPhase(server: FolderServer, fileName: string, phase: string): Promise<void> {
  return new Promise((resolve) => {
    server.bus.subscribe("push", ({ message }) => {
      if (message.type === "file" && message.file.name === fileName && message.file.phase === phase) resolve()
    })
  })
}

// Catches scans that are never read, lose the pages with text, or can't be found.
test("scans are read with OCR, in a phase of their own", { timeout: 120_000 }, async () => {
  await using server = await startFolderServer({ dataDir })
  const { folders, files } = server.clientOf("alice")
  const { id } = (await folders.create({ body: { name: "Scans" } })).vector
  const recognising = inPhase(server, "scan.pdf", "ocr")
  const scan = makePdf([
    { lines: [{ text: "A page with text about the walrus." }] },
    { picture: await pictureOf("A page about the porcupine.") },
  ])
  const fileId = await upload(server, id, "scan.pdf", [new Uint8Array(scan)])
  await recognising
  await server.ingestion.whenIdle()
  const { file } = await files.read({ params: { id, fileId } })
  expect(file).toMatchObject({ status: "completed", attempts: 1, note: "1 of 2 pages by OCR." })
  for (const [query, page] of [
    ["walrus", 1],
    ["porcupine", 2],
  ] as const) {
    const { results } = await folders.search({ body: { query, vector: [id] } })
    expect(results.map(({ location }) => location)).toEqual([{ page }])
  }
})

// Catches text documents that wait until the scans before them are read.
test("text goes on while scans wait", { timeout: 120_000 }, async () => {
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
  const { folders, files } = server.clientOf("alice")
  const { id } = (await folders.create({ body: { name: "Mixed" } })).vector
  const picture = new Uint8Array(encodeBmp({ width: 1, height: 1, pixels: new Uint8Array(1) }))
  const scans: string[] = []
  for (let number = 0; number < 8; number++) {
    scans.push(await upload(server, id, `scan-${number}.bmp`, [picture]))
  }
  const done = inPhase(server, "note.txt", "done")
  await upload(server, id, "note.txt", ["A note."])
  await done
  gate.resolve()
  await server.ingestion.whenIdle()
  for (const fileId of scans) {
    const { file } = await files.read({ params: { id, fileId } })
    expect(file).toMatchObject({ status: "completed", note: "No text was found in this file." })
  }
})
