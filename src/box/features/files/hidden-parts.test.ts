import { utils, write } from "@e965/xlsx"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startFolderServer, type FolderServer } from "../../testing/folder-server.ts"

let server: FolderServer
beforeAll(async () => {
  server = await startFolderServer()
})
afterAll(() => server[Symbol.asyncDispose]())

function makeWorkbook(): Blob {
  const sheet = utils.aoa_to_sheet([
    ["Client", "City"],
    ["Okapi", "Torino"],
    ["Zebu", "Novara"],
  ])
  sheet["!rows"] = [{}, { hidden: true }]
  const book = utils.book_new()
  utils.book_append_sheet(book, sheet, "Clients")
  return new Blob([write(book, { type: "buffer", bookType: "xlsx" }) as Uint8Array<ArrayBuffer>])
}

const alice = () => server.getClient("alice")

async function upload(id: string, file: Blob, fileName: string) {
  const receipt = await alice().files.upload({ params: { id }, file, fileName })
  await server.ingestion.whenIdle()
  return { id, fileId: receipt.files[0]?.id ?? "" }
}

async function getTexts(params: { id: string; fileId: string }): Promise<string[]> {
  const response = await alice().files.text({ params, query: { format: "blocks" } })
  return ((await response.json()) as { blocks: { text: string }[] }).blocks.map(({ text }) => text)
}

const find = async (id: string, query: string) =>
  (await alice().folders.search({ body: { query, vector: [id], strategy: "keyword" } })).results.length

// Catches a change that applies only to files uploaded later, that reads every file again, or that search doesn't follow.
test("changing a folder's setting reads the files again that may have hidden parts", async () => {
  const { vector } = await alice().folders.create({ body: { name: "Clients" } })
  expect(vector.hiddenParts).toBe("skip")
  const { id } = vector
  const params = await upload(id, makeWorkbook(), "clients.xlsx")
  const text = await upload(id, new Blob(["plain"]), "plain.txt")
  const readersOfText = () =>
    server.db.selectFrom("files").select(["readers", "updatedAt"]).where("id", "=", text.fileId).execute()
  const before = await readersOfText()
  expect(await getTexts(params)).toEqual(["Client | City", "Zebu | Novara"])
  expect(await find(id, "okapi")).toBe(0)

  const change = async (hiddenParts: "skip" | "mark" | null) => {
    const { vector: changed } = await alice().folders.update({ params: { id }, body: { hiddenParts } })
    await server.ingestion.whenIdle()
    return changed
  }
  expect(await change("mark")).toMatchObject({ hiddenParts: "mark" })
  expect(await getTexts(params)).toEqual(["Client | City", "(hidden) Okapi | Torino", "Zebu | Novara"])
  expect(await find(id, "okapi")).toBe(1)
  expect((await alice().files.read({ params })).file).toMatchObject({
    note: "1 hidden part was read and is marked “(hidden)”.",
    completeness: "whole",
  })
  const later = await upload(id, makeWorkbook(), "later.xlsx")
  expect(await getTexts(later)).toContain("(hidden) Okapi | Torino")
  expect((await alice().folders.read({ params: { id } })).vector.outdatedCount).toBe(0)

  expect(await change(null)).toMatchObject({ hiddenParts: "skip" })
  expect(await getTexts(params)).toEqual(["Client | City", "Zebu | Novara"])
  expect(await find(id, "okapi")).toBe(0)
  expect((await alice().files.read({ params })).file).toMatchObject({
    note: "1 hidden row was skipped.",
    completeness: "partial",
  })
  expect(await readersOfText()).toEqual(before)
})

// Catches a setting that is lost when a folder is created with it, or that someone else can change.
test("only the owner sets it, also with a new folder", async () => {
  const body = { name: "Shared", visibility: "TEAM", hiddenParts: "mark" } as const
  const { id, hiddenParts } = (await alice().folders.create({ body })).vector
  expect(hiddenParts).toBe("mark")
  const params = await upload(id, makeWorkbook(), "clients.xlsx")
  expect(await getTexts(params)).toContain("(hidden) Okapi | Torino")
  const change = { params: { id }, body: { hiddenParts: "skip" } as const }
  await expect(server.getClient("bob").folders.update(change)).rejects.toMatchObject({ code: "not_found" })
  expect((await alice().folders.read({ params: { id } })).vector.hiddenParts).toBe("mark")
})
