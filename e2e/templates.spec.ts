import { readFile } from "node:fs/promises"
import { read, utils } from "@e965/xlsx"
import { makePdf } from "../src/box/parsers/testing/make-pdf.ts"
import {
  startModelServer,
  type ModelRequest,
  type ModelServer,
  blockLine,
} from "../src/box/testing/model-servers/model-server.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { expectAccessible } from "./expect-accessible.ts"
import { expect, holdToasts, signIn, test } from "./page-test.ts"
import type { RunningBox } from "./running-box.ts"

const getClient = (box: RunningBox) => createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })

/** Writes a row for each line with a date: the subject, the date, and the amount if there is one. */
function noteDates({ messages }: ModelRequest) {
  const asked = messages.at(-1)?.content ?? ""
  if (asked.startsWith("<notes>")) return { text: "## What differs\n\n1. The rent [1].\n2. The notice [2]." }
  const rows = asked.split("\n").flatMap((line) => {
    const block = blockLine(line)
    const [, what, date, amount] = /^(.*?) (\d{4}-\d\d-\d\d)(?: for (\d+))?/.exec(block?.text ?? "") ?? []
    return date === undefined ? [] : [`${what} | ${date} | ${amount ?? ""} [${block?.number}]`]
  })
  return { text: rows.join("\n") || "NONE" }
}

const lease = makePdf(
  [
    "The lease begins on 2026-01-01.",
    "Nothing is due here.",
    "=Rent is due on 2026-02-01 for 900 euros.",
  ].map((text) => ({
    lines: [{ text }],
  })),
)

/** Creates a folder with documents, and a remote model for questions about them. */
async function prepare(box: RunningBox, model: ModelServer): Promise<string> {
  const client = getClient(box)
  const { vector } = await client.folders.create({ body: { name: "Contracts" } })
  const upload = (fileName: string, content: string | Uint8Array<ArrayBuffer>) =>
    client.files.upload({ params: { id: vector.id }, file: new Blob([content]), fileName })
  await upload("lease.pdf", new Uint8Array(lease))
  await upload("notice.md", "# Notice\n\nThe notice ends on 2026-03-31.")
  await expect
    .poll(
      async () =>
        (await client.files.list({ params: { id: vector.id } })).files.every(
          ({ status }) => status === "completed",
        ),
      { timeout: 30_000 },
    )
    .toBe(true)
  const { server } = await client.modelServers.add({ body: { name: "Told", url: model.baseUrl } })
  await client.models.choose({ body: { role: "chat", modelId: server.models[0]?.id ?? "" } })
  return vector.id
}

// Catches a template that asks nothing or something else, or discards the draft, and a cell that opens the wrong page. Also catches a saved
// document without its table or sources, and a spreadsheet that reads back wrongly or runs a cell as a formula.
test("a template creates a table whose cells open their pages, and which can be exported", async ({
  page,
  box,
}) => {
  await using model = await startModelServer(noteDates)
  const folder = await prepare(box, model)
  await holdToasts(page)
  await signIn(page, box)
  await page.goto(`${box.url}/#/dc/vector/${folder}`)
  await page.getByRole("link", { name: "Summaries and tables" }).click()
  const templates = page.getByRole("region", { name: "Questions that read every page" })
  await expect(templates.getByRole("button")).toHaveCount(6)
  await expectAccessible(page)
  const message = page.getByLabel("Message", { exact: true })
  await message.fill("And who signs?")
  await templates.getByRole("button", { name: /^Deadlines and amounts/ }).click()

  const answer = page.getByLabel("Answer", { exact: true })
  const rows = answer.getByRole("table").getByRole("row")
  await expect(rows).toHaveCount(4)
  await expect(message).toHaveValue("And who signs?")
  await expect(rows.first()).toContainText("DocumentLocationDeadlineDateAmount")
  await expect(answer.getByText(/^Read completely: .*2 files$/)).toBeVisible()
  const rent = rows.filter({ hasText: "=Rent" })
  await expect(rent).toContainText("lease.pdfpage 3")
  await rent.getByRole("cell").nth(4).getByRole("button").click()
  const document = page.getByRole("complementary", { name: "Document" })
  await expect(document).toContainText("Page 3")
  await document.getByRole("button", { name: "Close" }).click()

  const take = async (name: string) => {
    await answer.getByRole("button", { name: "Export table" }).click()
    const coming = page.waitForEvent("download")
    await page.getByRole("menuitem", { name }).click()
    return readFile(await (await coming).path())
  }
  const csv = (await take("Save table as CSV")).toString()
  expect(csv).toMatch(/^\uFEFFDocument,Location,Deadline,Date,Amount,Sources\r\n/)
  expect(csv).toContain(`lease.pdf,page 3,'=Rent is due on,2026-02-01,900,"lease.pdf, Page 3"`)
  const workbook = read(await take("Save table for Excel"))
  const [sheet] = workbook.SheetNames.map((name) => workbook.Sheets[name])
  expect(sheet && utils.sheet_to_json(sheet, { header: 1 })[2]).toEqual([
    "lease.pdf",
    "page 3",
    "=Rent is due on",
    "2026-02-01",
    900,
    "lease.pdf, Page 3",
  ])

  await answer.getByRole("button", { name: "Save to folder" }).click()
  const dialog = page.getByRole("dialog", { name: "Save to folder" })
  await expect(dialog.getByLabel("Name", { exact: true })).toHaveValue(/^List all deadlines and amounts/)
  await expect(dialog.getByLabel("Folder")).toHaveValue(folder)
  await expect(dialog).toHaveCSS("opacity", "1")
  await expectAccessible(page)
  await dialog.getByLabel("Name", { exact: true }).fill("Dates of the lease")
  await dialog.getByRole("button", { name: "Save" }).click()
  await expect(page.getByText("Dates of the lease.docx saved in Contracts")).toBeVisible()
  const client = getClient(box)
  await expect
    .poll(
      async () =>
        (
          await client.folders.search({
            body: { query: "deadlines lease.pdf Page 3", vector: [folder], includeGenerated: true },
          })
        ).results
          .filter(({ fileName }) => fileName === "Dates of the lease.docx")
          .map(({ text }) => text)
          .join("\n"),
      { timeout: 30_000 },
    )
    .toContain("lease.pdf, Page 3")
})

// Catches a table that changes its columns or becomes prose when its question is asked again or edited.
test("a table keeps its columns when its question is asked again or edited", async ({ page, box }) => {
  await using model = await startModelServer(noteDates)
  const folder = await prepare(box, model)
  await signIn(page, box)
  await page.goto(`${box.url}/#/?folder=${folder}`)
  const templates = page.getByRole("region", { name: "Questions that read every page" })
  await templates.getByRole("button", { name: /^Deadlines and amounts/ }).click()
  const answer = page.getByLabel("Answer", { exact: true })
  const headers = answer.getByRole("columnheader")
  const columns = ["Document", "Location", "Deadline", "Date", "Amount"]
  await expect(headers).toHaveText(columns)
  const regenerate = answer.getByRole("button", { name: "Regenerate" })
  await expect(regenerate).toBeVisible() // everything has been read
  const requests = model.requests.length
  await regenerate.click()
  await expect(headers).toHaveText(columns)
  await expect(answer.getByText("2/2")).toBeVisible()
  expect(model.requests.slice(requests)).toEqual([]) // its notes already exist
  await page.getByRole("article", { name: "Your message" }).hover()
  await page.getByRole("button", { name: "Edit question" }).click()
  await page.getByLabel("Message", { exact: true }).fill("Which days count?")
  await page.keyboard.press("Enter")
  await expect(page.getByRole("article", { name: "Your message" })).toContainText("Which days count?")
  await expect(headers).toHaveText(columns)
})

// Catches a keyboard that can't select two documents, and a comparison that also reads others.
test("two documents are compared, and a table has the chosen columns", async ({ page, box }) => {
  await using model = await startModelServer(noteDates)
  const folder = await prepare(box, model)
  await signIn(page, box)
  await page.goto(`${box.url}/#/?folder=${folder}`)
  const templates = page.getByRole("region", { name: "Questions that read every page" })
  await templates.getByRole("button", { name: /^Differences/ }).click()
  const dialog = page.getByRole("dialog", { name: "Differences" })
  await expect(dialog.getByRole("checkbox")).toHaveCount(2)
  await expect(dialog).toHaveCSS("opacity", "1")
  await expectAccessible(page)
  await expect(dialog.getByRole("searchbox")).toBeFocused()
  await page.keyboard.type("lease")
  await expect(dialog.getByRole("checkbox")).toHaveCount(1)
  await page.keyboard.press("ArrowDown")
  await page.keyboard.press("Space")
  await dialog.getByRole("searchbox").fill("")
  await dialog.getByRole("checkbox", { name: "notice.md" }).check()
  await dialog.getByRole("button", { name: "Compare" }).click()
  const answer = page.getByLabel("Answer", { exact: true })
  const asked = page.getByRole("article", { name: "Your message" })
  await expect(answer).toContainText("The notice")
  await expect(asked.filter({ hasText: "Compare the documents “lease.pdf” and “notice.md”" })).toBeVisible()
  await expect(answer.getByText(/^Read completely: .*2 files$/)).toBeVisible()

  await page.goto(`${box.url}/#/?folder=${folder}`)
  await templates.getByRole("button", { name: /^Table of facts/ }).click()
  const facts = page.getByRole("dialog", { name: "Table of facts" })
  await facts.getByLabel("What to list (optional)").fill("events")
  await facts.getByLabel("Columns", { exact: true }).first().fill("Event")
  await page.keyboard.press("Enter")
  await facts.getByRole("button", { name: "Date" }).click()
  await expect(facts).toHaveCSS("opacity", "1")
  await expectAccessible(page)
  await facts.getByRole("button", { name: "Create table" }).click()
  await expect(
    asked.filter({ hasText: "List all events in a table with the columns Event, Date." }),
  ).toBeVisible()
  await expect(answer.getByRole("columnheader")).toHaveText(["Document", "Location", "Event", "Date"])
})

// Catches templates that need a model but are offered without one, and missing alternatives.
test("without a model, templates show what they need", async ({ page, box }) => {
  const client = getClient(box)
  for (const { id } of (await client.modelServers.list()).servers)
    await client.modelServers.remove({ params: { serverId: id } })
  const { vector } = await client.folders.create({ body: { name: "Alone" } })
  await signIn(page, box)
  await page.goto(`${box.url}/#/?folder=${vector.id}`)
  await expect(page.getByText("These read every page, so they need a model.")).toBeVisible()
  await expect(page.getByRole("button", { name: /^Summary/ })).toBeDisabled()
  await page.getByRole("link", { name: "Terms, deadlines and amounts" }).click()
  await expect(page.getByRole("tab", { name: "Overview" })).toHaveAttribute("aria-selected", "true")
})

// Catches a question about whole documents that leads nowhere without a model, and a link that opens the wrong part.
test("without a model, a question about whole documents links to the folder's and the file's overviews", async ({
  page,
  box,
}) => {
  const client = getClient(box)
  for (const { id } of (await client.modelServers.list()).servers)
    await client.modelServers.remove({ params: { serverId: id } })
  const { vector } = await client.folders.create({ body: { name: "Lease" } })
  const params = { id: vector.id }
  const text = "# Rent\n\nThe rent of 900 euro is due by 5 March 2026.\n\n# Ending\n\nIt ends on 1 May 2027."
  await client.files.upload({ params, file: new Blob([text]), fileName: "lease.md" })
  const files = async () => (await client.files.list({ params })).files
  await expect.poll(async () => (await files()).every(({ status }) => status === "completed")).toBe(true)
  await signIn(page, box)
  const ask = async () => {
    await page.getByLabel("Message", { exact: true }).fill("List all deadlines and amounts.")
    await page.keyboard.press("Enter")
  }
  await page.goto(`${box.url}/#/?folder=${vector.id}`)
  await ask()
  const ways = page.getByRole("navigation", { name: "Without a model, the folder shows:" })
  await ways.getByRole("link", { name: "Amounts" }).click()
  await expect(page.getByRole("tab", { name: "Overview" })).toHaveAttribute("aria-selected", "true")
  await expect(page.getByRole("button", { name: "Amounts", pressed: true })).toBeVisible()

  await page.goto(`${box.url}/#/?folder=${vector.id}&files=${(await files())[0]?.id}`)
  await ask()
  await page.getByLabel("Answer", { exact: true }).getByRole("button", { name: "Outline" }).click()
  const document = page.getByRole("complementary", { name: "Document" })
  const view = document.getByRole("group", { name: "View" })
  await expect(view.getByRole("button", { name: "Outline", pressed: true })).toBeVisible()
  await expect(document.getByRole("list", { name: "Outline" }).getByText("Ending")).toBeVisible()
})
