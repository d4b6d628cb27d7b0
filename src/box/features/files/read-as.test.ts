import { expect, test } from "vitest"
import { startFolderServer } from "../../testing/folder-server.ts"

const utf8 = (text: string) => new Blob([text])
/** "jméno;částka" and so on in windows-1250, which reads as other letters in windows-1252. */
const czech = new Blob([
  Buffer.from("6a6d9e6e6f3bec9ee1", "hex"),
  "\n",
  Buffer.from("e8e1733b6bbff2", "hex"),
  "\n",
])

/** One pixel. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
)

// Catches a choice that only the preview applies, that is lost when the file is read again, or that can't be undone.
test("reads a file in the encoding and with the delimiter that its owner chose", async () => {
  await using server = await startFolderServer()
  const { folders, files } = server.getClient("alice")
  const { id } = (await folders.create({ body: { name: "Texts" } })).vector
  const receipt = await files.upload({ params: { id }, file: czech, fileName: "names.csv" })
  const params = { id, fileId: receipt.files[0]?.id ?? "" }
  await server.ingestion.whenIdle()
  const getTexts = async () => {
    const response = await files.text({ params, query: { format: "blocks" } })
    return ((await response.json()) as { blocks: { text: string }[] }).blocks.map(({ text }) => text)
  }
  const preview = await files.preview({ params, query: { encoding: "windows-1250", delimiter: ";" } })
  expect(preview.blocks.map(({ text }) => text)).toEqual(["jmžno | ěžá", "čás | kżň"])
  expect((await files.read({ params })).file.readAs).toBeNull()

  const readAs = { encoding: "cp852" as const, delimiter: "|" as const }
  await files.update({ params, body: { readAs } })
  await server.ingestion.whenIdle()
  const inDos = await getTexts()
  expect(inDos[0]).toMatch(/^jm.no;/)
  await files.retry({ params })
  await server.ingestion.whenIdle()
  expect(await getTexts()).toEqual(inDos)
  expect((await files.read({ params })).file).toMatchObject({ readAs, completeness: "whole" })
  await files.replace({ params, file: utf8("a;b\nc;d\n"), fileName: "names.csv" })
  await server.ingestion.whenIdle()
  expect(await getTexts()).toEqual(["a;b", "c;d"])

  await files.update({ params, body: { readAs: null } })
  await server.ingestion.whenIdle()
  expect(await getTexts()).toEqual(["a | b", "c | d"])
})

// Catches a preview or a choice for people who may not see or change the file.
test("lets only people who see the folder preview its files, and only its owner choose", async () => {
  await using server = await startFolderServer()
  const { folders, files } = server.getClient("alice")
  const { id } = (await folders.create({ body: { name: "Shared", visibility: "TEAM" } })).vector
  const receipt = await files.upload({ params: { id }, file: utf8("a,b\n"), fileName: "a.csv" })
  const params = { id, fileId: receipt.files[0]?.id ?? "" }
  await server.ingestion.whenIdle()
  const [bob, carol] = [server.getClient("bob").files, server.getClient("carol").files]
  expect((await bob.preview({ params, query: {} })).blocks).toHaveLength(1)
  await expect(bob.update({ params, body: { readAs: null } })).rejects.toMatchObject({ code: "forbidden" })
  await expect(carol.preview({ params, query: {} })).rejects.toMatchObject({ code: "forbidden" })
})

// Catches a preview of an image or a scan that fails as if Casella were at fault.
test("previews an image as a file without text", async () => {
  await using server = await startFolderServer()
  const { folders, files } = server.getClient("alice")
  const { id } = (await folders.create({ body: { name: "Images" } })).vector
  const receipt = await files.upload({ params: { id }, file: new Blob([png]), fileName: "dot.png" })
  const params = { id, fileId: receipt.files[0]?.id ?? "" }
  expect(await files.preview({ params, query: { encoding: "utf-8" } })).toEqual({ blocks: [], reasons: [] })
})

// Catches files that are counted as whole although parts are missing, and a list that differs from the counts.
test("counts files by how much of them was read, and lists them", async () => {
  await using server = await startFolderServer()
  const { folders, files } = server.getClient("alice")
  const { id } = (await folders.create({ body: { name: "Mixed" } })).vector
  const xml = `<?xml version="1.0"?><list><item>walrus</item>`
  for (const [fileName, content] of [
    ["whole.txt", "walrus"],
    ["partial.xml", xml],
    ["empty.txt", " "],
  ] as const)
    await files.upload({ params: { id }, file: utf8(content), fileName })
  await server.ingestion.whenIdle()
  const { vector } = await folders.read({ params: { id } })
  expect(vector.completeness).toEqual({ whole: 1, partial: 1, none: 1 })
  for (const [completeness, name] of [
    ["whole", "whole.txt"],
    ["partial", "partial.xml"],
    ["none", "empty.txt"],
  ] as const) {
    const list = await files.list({ params: { id }, query: { completeness } })
    expect(list.total).toBe(1)
    expect(list.files).toMatchObject([{ name, completeness }])
  }
})
