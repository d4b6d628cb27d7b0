import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { FileBlock, FileEntry } from "../shared/contract/files.ts"
import { waitFor } from "../shared/testing/wait-for.ts"
import { zipBytes } from "./parsers/testing/office-files.ts"
import { makePdf } from "./parsers/testing/make-pdf.ts"
import { startTestBox, type TestBox } from "./testing/test-box.ts"

const mailbox = ["Invoice", "Walrus"]
  .map((subject) =>
    [
      "From ada@example.org Tue Mar  5 10:00:00 2024",
      `Subject: ${subject}`,
      "From: Ada <ada@example.org>",
      "",
      `The ${subject.toLowerCase()} is here.`,
      "",
    ].join("\n"),
  )
  .join("\n")

describe("documents inside files", () => {
  let box: TestBox
  let folder: string

  beforeAll(async () => {
    box = await startTestBox()
    folder = (await box.client.folders.create({ body: { name: "Papers" } })).vector.id
  })
  afterAll(() => box[Symbol.asyncDispose]())

  async function upload(fileName: string, bytes: string | Buffer): Promise<FileEntry> {
    const { files } = await box.client.files.upload({
      params: { id: folder },
      file: new Blob([typeof bytes === "string" ? bytes : new Uint8Array(bytes)]),
      fileName,
    })
    return waitFor(async () => {
      const { files: all } = await box.client.files.list({ params: { id: folder }, query: {} })
      const file = all.find(({ id }) => id === files[0]?.id)
      expect(file?.status).not.toMatch(/queued|processing/)
      return file as FileEntry
    })
  }

  const find = async (query: string) =>
    (await box.client.folders.search({ body: { query, vector: [folder] } })).results[0]

  // Catches a place that is lost between the parser's process, the index and the API, and skipped members that no one hears of.
  test("are found with their place, and what can't be read is named", async () => {
    const secret = zipBytes({ "secret.txt": "Hidden." })
    secret.writeUInt16LE(1, secret.indexOf(Buffer.from([0x50, 0x4b, 1, 2])) + 8)
    const file = await upload(
      "papers.zip",
      zipBytes({
        "2024/lease.pdf": makePdf([
          { lines: [{ text: "First page about nothing in particular." }] },
          { lines: [{ text: "The penguin pays the rent in spring." }] },
        ]),
        "old.zip": zipBytes({ "b.txt": "The ostrich runs.", "c.bin": Buffer.from("7f454c460201", "hex") }),
        "secret.zip": secret,
      }),
    )
    expect(file.status).toBe("completed")
    expect(file.note).toContain('"old.zip/c.bin" was skipped')
    expect(file.note).toContain('"secret.zip/secret.txt" was skipped: This file is encrypted.')
    expect((await find("penguin rent"))?.location).toEqual({ entry: "2024/lease.pdf", page: 2 })
    expect((await find("ostrich"))?.location).toMatchObject({ entry: "old.zip/b.txt" })
    const text = await box.client.files.text({
      params: { id: folder, fileId: file.id },
      query: { format: "blocks" },
    })
    const { blocks } = (await text.json()) as { blocks: FileBlock[] }
    expect(blocks.at(-1)).toMatchObject({ text: "The ostrich runs.", location: { entry: "old.zip/b.txt" } })
  })

  // Catches messages that aren't told apart.
  test("are the messages of a mailbox", async () => {
    expect(await upload("INBOX", mailbox)).toMatchObject({ status: "completed", note: null })
    expect((await find("walrus"))?.location).toMatchObject({ message: 2, heading: "Walrus" })
  })

  // Catches an archive that is completed with nothing to show.
  test("that can't be read at all fail with the name of one", async () => {
    const file = await upload("programs.zip", zipBytes({ "a.exe": Buffer.from("7f454c460201", "hex") }))
    expect(file).toMatchObject({
      status: "skipped",
      error: expect.stringContaining('"a.exe" was skipped') as string,
    })
  })
})
