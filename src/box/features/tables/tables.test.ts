import { readdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { utils, write } from "@e965/xlsx"
import { afterEach, beforeEach, expect, test } from "vitest"
import type { Client } from "../../../shared/client/http-client.ts"
import { agileBytes, standardBytes } from "../../parsers/testing/compound-files.ts"
import { waitFor } from "../../../shared/testing/wait-for.ts"
import { addUser, startTestBox, type TestBox } from "../../testing/test-box.ts"

let box: TestBox
let folder: string
beforeEach(async () => {
  box = await startTestBox()
  folder = (await box.client.folders.create({ body: { name: "Accounts" } })).vector.id
})
afterEach(() => box[Symbol.asyncDispose]())

async function upload(fileName: string, content: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const { files } = await box.client.files.upload({
    params: { id: folder },
    file: new Blob([content]),
    fileName,
  })
  const fileId = files[0]?.id ?? ""
  await indexed(fileId)
  return fileId
}

async function indexed(fileId: string): Promise<void> {
  await expect
    .poll(async () => (await box.client.files.read({ params: { id: folder, fileId } })).file.status)
    .toBe("completed")
}

const list = async (client: Client = box.client) =>
  (await client.tables.list({ params: { id: folder } })).tables
const ask = (sql: string, limit?: number, client: Client = box.client) =>
  client.tables.query({ params: { id: folder }, body: { sql, ...(limit !== undefined && { limit }) } })

// Catches an unlocked workbook whose text is searchable but whose rows can't be queried.
test.each([
  ["xlsx", (bytes: Buffer) => agileBytes(bytes, "heron")],
  ["xls", (bytes: Buffer) => agileBytes(bytes, "heron")],
  ["xlsx", (bytes: Buffer) => standardBytes(bytes, "heron")],
])("creates tables for an unlocked .%s workbook", async (extension, encrypt) => {
  const book = utils.book_new()
  utils.book_append_sheet(
    book,
    utils.aoa_to_sheet([
      ["Supplier", "Amount"],
      ["Rossi", 40],
      ["Bianchi", 2],
    ]),
    "Sheet",
  )
  const bytes = encrypt(write(book, { type: "buffer", bookType: "xlsx" }) as Buffer)
  const params = { id: folder }
  const { files } = await box.client.files.upload({
    params,
    file: new Blob([new Uint8Array(bytes)]),
    fileName: `costs.${extension}`,
  })
  const fileId = files[0]?.id ?? ""
  await waitFor(async () => {
    const { file } = await box.client.files.read({ params: { ...params, fileId } })
    expect(file.status).toBe("failed")
  })
  await box.client.files.update({ params: { ...params, fileId }, body: { password: "heron" } })
  await indexed(fileId)
  const [table] = await list()
  expect((await ask(`SELECT sum(Amount) FROM ${table?.name ?? ""}`)).rows).toEqual([[42]])
})

test("queries a workbook and a CSV file together", async () => {
  const book = utils.book_new()
  const rows = [
    ["Invoices 2025"],
    [],
    ["Supplier", "Date", "Amount", "Paid"],
    ["Rossi", new Date(Date.UTC(2025, 11, 31)), 10.5, true],
    ["Bianchi", new Date(Date.UTC(2025, 10, 3)), 20, false],
    ["Rossi", new Date(Date.UTC(2025, 0, 1)), 30.25, true],
    ["Total", null, 60.75, null],
  ]
  utils.book_append_sheet(book, utils.aoa_to_sheet(rows, { UTC: true }), "Invoices")
  await upload("Über Books.xlsx", new Uint8Array(write(book, { type: "buffer", bookType: "xlsx" }) as Buffer))
  await upload("cities.csv", "supplier;city\nRossi;Bolzano\nBianchi;Trento\n")
  const found = await list()
  expect(found.map(({ name, sheet, rows, fileName }) => ({ name, sheet, rows, fileName }))).toEqual([
    { name: "ueber_books_invoices", sheet: "Invoices", rows: 3, fileName: "Über Books.xlsx" },
    { name: "cities", sheet: null, rows: 2, fileName: "cities.csv" },
  ])
  expect(found[0]?.columns).toEqual([
    { name: "Supplier", type: "text" },
    { name: "Date", type: "date" },
    { name: "Amount", type: "number" },
    { name: "Paid", type: "boolean" },
  ])
  const answer = await ask(
    "SELECT city, sum(amount) AS total, max(date) AS last, min(paid) FROM ueber_books_invoices JOIN cities USING (supplier) GROUP BY city ORDER BY total DESC",
  )
  expect(answer).toMatchObject({
    columns: [
      { name: "city", type: "text" },
      { name: "total", type: "number" },
      { name: "last", type: "date" },
      { name: "min(paid)" },
    ],
    rows: [
      ["Bolzano", 40.75, "2025-12-31", 1],
      ["Trento", 20, "2025-11-03", 0],
    ],
    truncated: false,
  })
  expect(await ask("SELECT Paid FROM ueber_books_invoices", 2)).toMatchObject({
    columns: [{ name: "Paid", type: "boolean" }],
    rows: [[true], [false]],
    truncated: true,
  })
})

// Catches a folder's tables shown to users without access to it or to keys without the right to read it.
test("lets only users who may read the folder query it", async () => {
  await upload("rights.csv", "a;b\n1;2\n")
  const reader = box.getClient(
    (await box.client.keys.create({ body: { name: "Reader", scopes: ["read-only"] } })).key,
  )
  const notifier = box.getClient(
    (await box.client.keys.create({ body: { name: "Notifier", scopes: ["notify"] } })).key,
  )
  expect((await ask("SELECT a FROM rights", 1, reader)).rows).toEqual([[1]])
  expect((await list(reader)).map(({ name }) => name)).toContain("rights")
  await expect(ask("SELECT a FROM rights", 1, notifier)).rejects.toMatchObject({ code: "forbidden" })
  await expect(list(notifier)).rejects.toMatchObject({ code: "forbidden" })
  const eve = await addUser(box, "eve@example.com")
  await expect(list(eve)).rejects.toMatchObject({ code: "forbidden" })
  await expect(ask("SELECT a FROM rights", 1, eve)).rejects.toMatchObject({ code: "forbidden" })
  await expect(
    box.client.tables.query({
      params: { id: "019aaaaa-0000-7000-8000-000000000000" },
      body: { sql: "SELECT 1" },
    }),
  ).rejects.toMatchObject({ code: "not_found" })
})

// Catches wrong SQL reported as a malformed request, or a reason that doesn't say what to change.
test("returns 422 with the reason for a wrong query and 400 for a wrong limit", async () => {
  await upload("rights.csv", "a;b\n1;2\n")
  await expect(ask("DROP TABLE rights")).rejects.toMatchObject({ status: 422, code: "unprocessable" })
  await expect(ask("SELECT missing FROM rights")).rejects.toMatchObject({
    status: 422,
    message: "The SQL can't be run: no such column: missing",
  })
  await expect(ask("SELECT 1 FROM no_such_table")).rejects.toThrow("no such table: no_such_table")
  await expect(ask("SELECT 1", 1001)).rejects.toMatchObject({ status: 400 })
})

const cached = async (fileId: string) => {
  const names = await readdir(join(box.dataDir, "tables"), { recursive: true }).catch(() => [])
  return names.filter((name) => name.includes(fileId) && name.endsWith(".sqlite")).length
}

// Catches tables with a file's previous content, names that change while in use, and tables of a deleted file that remain.
test("updates and removes tables with their files", async () => {
  const first = await upload("follow me.csv", "a;b\n1;2\n")
  const second = await upload("follow-me.csv", "a;b\n10;2\n")
  const names = async () =>
    Object.fromEntries(
      (await list())
        .filter(({ name }) => name.startsWith("follow"))
        .map(({ fileId, name }) => [fileId, name]),
    )
  expect(await names()).toEqual({ [first]: "follow_me", [second]: "follow_me_2" })
  expect((await ask("SELECT a FROM follow_me_2")).rows).toEqual([[10]])

  const params = { id: folder, fileId: second }
  await box.client.files.replace({ params, file: new Blob(["a;b;c\n11;2;3\n12;2;3\n"]), fileName: "x.csv" })
  await indexed(second)
  expect((await ask("SELECT sum(a), sum(c) FROM follow_me_2")).rows).toEqual([[23, 6]])

  expect(await cached(first)).toBe(1)
  await box.client.files.remove({ params: { id: folder, fileId: first } })
  await expect(ask("SELECT a FROM follow_me")).rejects.toThrow("no such table")
  expect(await names()).toEqual({ [second]: "follow_me_2" })
  await expect.poll(() => cached(first)).toBe(0)
})

// Catches a cache that must exist, and a damaged cache that is trusted.
test("recreates tables that were deleted or damaged", async () => {
  const fileId = await upload("kept.csv", "a;b\n5;2\n")
  const { name, id } = (await list()).find((table) => table.fileId === fileId) ?? expect.unreachable()
  const directory = join(box.dataDir, "tables", folder)
  const database = (await readdir(directory)).find(
    (each) => each.startsWith(`${fileId}.`) && each.endsWith(".sqlite"),
  )
  if (database === undefined) expect.unreachable()
  await writeFile(join(directory, database), "x".repeat(10_000))
  expect((await ask(`SELECT a FROM ${name}`)).rows).toEqual([[5]])
  await rm(join(directory, database))
  expect((await ask(`SELECT a FROM ${name}`)).rows).toEqual([[5]])
  await rm(join(box.dataDir, "tables"), { recursive: true })
  expect((await ask(`SELECT a FROM ${name}`)).rows).toEqual([[5]])
  await box.restart()
  expect((await ask(`SELECT a FROM ${name}`)).rows).toEqual([[5]])
  expect((await list()).find((table) => table.fileId === fileId)?.name).toBe(name)
  expect(id).toMatch(/^[0-9a-f-]{36}$/)
})

// Catches a hostile workbook that blocks queries on the rest of its folder or is retried endlessly.
test("gives an unreadable file no tables and still serves the others", async () => {
  await upload(
    "broken.xls",
    Buffer.concat([Buffer.from([9, 8, 16, 0, 0, 6, 5, 0]), Buffer.alloc(600, 7)]),
  ).catch(() => "")
  await upload("fine.csv", "a;b\n1;2\n")
  expect((await ask("SELECT b FROM fine")).rows).toEqual([[2]])
  expect((await list()).map(({ fileName }) => fileName)).not.toContain("broken.xls")
})

// Catches copies of a deleted folder's content that remain until another file changes.
test("removes the tables of a permanently deleted folder", async () => {
  await using other = await startTestBox({}, 500)
  const id = (await other.client.folders.create({ body: { name: "Gone" } })).vector.id
  await other.client.files.upload({ params: { id }, file: new Blob(["a;b\n1;2\n"]), fileName: "gone.csv" })
  await expect.poll(async () => (await other.client.tables.list({ params: { id } })).tables.length).toBe(1)
  await other.client.folders.remove({ params: { id } })
  await expect.poll(() => readdir(join(other.dataDir, "tables"))).toEqual([])
})
