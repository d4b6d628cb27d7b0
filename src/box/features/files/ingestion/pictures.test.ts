import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import type { Block, FoundPicture } from "../../../parsers/parser.ts"
import { failure } from "../../../parsers/parser.ts"
import type { DocumentReader } from "../../../parsers/process/document-reader.ts"
import { encodeBmp, drawPicture } from "../../../parsers/testing/make-picture.ts"
import { docxBytes, relationships, xlsxBytes } from "../../../parsers/testing/office-files.ts"
import { startFolderServer, type FolderServer } from "../../../testing/folder-server.ts"

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "casella-pictures-"))
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

async function upload(server: FolderServer, id: string, fileName: string, bytes: string | Buffer) {
  const file = new Blob([typeof bytes === "string" ? bytes : new Uint8Array(bytes)])
  const receipt = await server.getClient("alice").files.upload({ params: { id }, file, fileName })
  return receipt.files[0]?.id ?? ""
}

async function getBlocks(server: FolderServer, fileId: string): Promise<Block[]> {
  const all: Block[] = []
  for await (const blocks of server.passages.blocks(fileId)) all.push(...blocks)
  return all
}

// Catches pictures that are read although no one asked for it, text in pictures that can't be found or cited, and documents that keep
// their old text after the setting was changed.
test("reads the text in a document's pictures once the folder wants it, and cites the picture", async () => {
  await using server = await startFolderServer({ dataDir })
  const { folders, files } = server.getClient("alice")
  const { id, images, withoutImagesCount } = (await folders.create({ body: { name: "Reports" } })).vector
  expect([images, withoutImagesCount]).toEqual(["none", 0])
  const body =
    '<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:r><w:t>Costs</w:t></w:r></w:p><w:p><w:r><w:t>See the walrus below.</w:t></w:r><w:r><w:drawing><a:blip r:embed="a"/></w:drawing></w:r></w:p>'
  const report = docxBytes(body, {
    "word/_rels/document.xml.rels": relationships({ a: ["image", "media/a.bmp"] }),
    "word/media/a.bmp": encodeBmp(await drawPicture("The porcupine costs 400 francs.")),
  })
  const fileId = await upload(server, id, "report.docx", report)
  await server.ingestion.whenIdle()
  const search = async (query: string) =>
    (await folders.search({ body: { query, vector: [id] } })).results.map(({ location }) => location)
  await upload(server, id, "notes.txt", "Notes have no images.")
  await server.ingestion.whenIdle()
  expect(await search("porcupine")).toEqual([])
  expect((await folders.read({ params: { id } })).vector).toMatchObject({ withoutImagesCount: 1 })
  expect((await files.read({ params: { id, fileId } })).file).toMatchObject({ completeness: "whole" })

  const { vector } = await folders.update({ params: { id }, body: { images: "text" } })
  expect(vector).toMatchObject({ images: "text", outdatedCount: 1 })
  await server.ingestion.whenIdle()
  expect(await search("porcupine")).toEqual([{ heading: "Costs", image: 1 }])
  expect(await search("walrus")).toEqual([{ heading: "Costs" }])
  expect((await getBlocks(server, fileId)).map(({ kind, location }) => [kind, location.image])).toEqual([
    ["heading", undefined],
    ["paragraph", undefined],
    ["image", 1],
  ])
  const { file } = await files.read({ params: { id, fileId } })
  expect(file).toMatchObject({
    status: "completed",
    completeness: "whole",
    note: "Text was recognised in 1 of 1 image in this document.",
  })
  expect((await folders.read({ params: { id } })).vector).toMatchObject({
    outdatedCount: 0,
    withoutImagesCount: 0,
  })
})

// Catches the text of hidden pictures that isn't marked, and one that stays after the folder no longer wants hidden parts.
test("marks the text of hidden pictures if the folder wants hidden parts as well", async () => {
  await using server = await startFolderServer({ dataDir })
  const { folders } = server.getClient("alice")
  const body = { name: "Clients", images: "text", hiddenParts: "mark" } as const
  const { id, ...folder } = (await folders.create({ body })).vector
  expect(folder).toMatchObject({ images: "text", hiddenParts: "mark" })
  const sheet = '<row r="1"><c r="A1"><v>12</v></c></row><row r="2" hidden="1"/>'
  const drawing =
    '<xdr:twoCellAnchor><xdr:from><xdr:col>0</xdr:col><xdr:row>1</xdr:row></xdr:from><a:blip r:embed="a"/></xdr:twoCellAnchor>'
  const workbook = xlsxBytes(sheet, {
    "xl/worksheets/_rels/sheet1.xml.rels": relationships({ d: ["drawing", "../drawings/drawing1.xml"] }),
    "xl/drawings/drawing1.xml": `<xdr:wsDr>${drawing}</xdr:wsDr>`,
    "xl/drawings/_rels/drawing1.xml.rels": relationships({ a: ["image", "../media/a.bmp"] }),
    "xl/media/a.bmp": encodeBmp(await drawPicture("The okapi is a client.")),
  })
  const fileId = await upload(server, id, "clients.xlsx", workbook)
  await server.ingestion.whenIdle()
  const getTexts = async () => (await getBlocks(server, fileId)).map(({ text }) => text)
  expect(await getTexts()).toEqual(["12", "(hidden) The okapi is a client."])

  await folders.update({ params: { id }, body: { hiddenParts: "skip" } })
  await server.ingestion.whenIdle()
  expect(await getTexts()).toEqual(["12"])
})

/** A reader of presentations with three pictures. `onPicture` is called before a picture is read. */
function makeReader(onPicture: (key: string, signal: AbortSignal | undefined) => Promise<void>) {
  const asked: (string | undefined)[] = []
  const pictures: FoundPicture[] = [1, 2, 3].map((slide) => ({
    key: `p${slide}`,
    location: { slide, image: 1 },
  }))
  const reader: Pick<DocumentReader, "read"> = {
    async *read({ scan }, options) {
      asked.push(scan?.picture)
      if (scan?.picture !== undefined) {
        await onPicture(scan.picture, options?.signal)
        yield { kind: "image", text: `text of ${scan.picture}`, location: {} }
        return
      }
      options?.onReaders?.(options.wantsPictures ? "ocr.1 pictures.1 pptx.3" : "pptx.3")
      if (options?.wantsPictures) options.onScans?.({ scans: [], pageCount: 0, pictures })
      for (const slide of [1, 2, 3]) yield { kind: "paragraph", text: `slide ${slide}`, location: { slide } }
    },
  }
  return { reader, asked }
}

const bySlide = ["slide 1", "text of p1", "slide 2", "text of p2", "slide 3", "text of p3"]

// Catches pictures that are read twice after a restart, and text that is in the wrong place.
test("resumes with the next picture after a restart", async () => {
  const reached = Promise.withResolvers<void>()
  const first = makeReader((key, signal) => {
    if (key !== "p2") return Promise.resolve()
    reached.resolve()
    return new Promise((_, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason as Error))
    })
  })
  let id: string
  let fileId: string
  {
    await using server = await startFolderServer({ dataDir, reader: first.reader })
    id = (await server.getClient("alice").folders.create({ body: { name: "Talks", images: "text" } })).vector
      .id
    fileId = await upload(server, id, "talk.txt", "bytes")
    await reached.promise
    const { file } = await server.getClient("alice").files.read({ params: { id, fileId } })
    expect(file).toMatchObject({
      phase: "ocr",
      note: "The text in 2 images in this document is still being recognised.",
    })
  }
  const second = makeReader(() => Promise.resolve())
  await using server = await startFolderServer({ dataDir, reader: second.reader })
  await server.ingestion.whenIdle()
  expect(second.asked).toEqual(["p2", "p3"])
  expect((await getBlocks(server, fileId)).map(({ text }) => text)).toEqual(bySlide)
})

// Catches pictures that are still read after the setting was turned off, those that are never read after it was turned on again, and a
// document that fails because a picture is damaged.
test("stops when the folder no longer wants the text, and continues when it does", async () => {
  const reached = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const { reader, asked } = makeReader(async (key) => {
    if (key !== "p1") throw failure("picture_damaged")
    reached.resolve()
    await gate.promise
  })
  await using server = await startFolderServer({ dataDir, reader })
  const { folders, files } = server.getClient("alice")
  const { id } = (await folders.create({ body: { name: "Talks", images: "text" } })).vector
  const fileId = await upload(server, id, "talk.txt", "bytes")
  await reached.promise
  await folders.update({ params: { id }, body: { images: "none" } })
  gate.resolve()
  await server.ingestion.whenIdle()
  expect(asked).toEqual([undefined, "p1"])
  const { file } = await files.read({ params: { id, fileId } })
  expect(file).toMatchObject({
    status: "completed",
    note: "Text was recognised in 1 of 1 image in this document.",
  })

  await folders.update({ params: { id }, body: { images: "text" } })
  await server.ingestion.whenIdle()
  expect(asked).toEqual([undefined, "p1", undefined, "p1", "p2", "p3"])
  expect((await getBlocks(server, fileId)).map(({ text }) => text)).toEqual([
    "slide 1",
    "text of p1",
    "slide 2",
    "slide 3",
  ])
  const { file: after } = await files.read({ params: { id, fileId } })
  expect(after).toMatchObject({ status: "completed", completeness: "partial" })
  expect(after.reasons?.map(({ code }) => code)).toEqual(["images_by_ocr", "images_unread_by_ocr"])
})
