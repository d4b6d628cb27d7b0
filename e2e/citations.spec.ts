import { utils, write } from "@e965/xlsx"
import type { Page } from "@playwright/test"
import { startModelServer } from "../src/box/testing/model-servers/model-server.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { expectAccessible } from "./expect-accessible.ts"
import { expect, signIn, test } from "./page-test.ts"
import type { RunningBox } from "./running-box.ts"

const answer = (page: Page) => page.getByLabel("Answer", { exact: true }).last()
const panel = (page: Page) => page.getByRole("complementary", { name: "Document" })
const marks = (page: Page, mark: "strong" | "faint") => panel(page).locator(`[data-mark=${mark}]`)
const getClient = (box: RunningBox) => createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })

const files = {
  "lease.txt":
    "The flat has two rooms on the third floor. The notice period is three months. Pets are allowed in it.",
  "prices.csv": "Month,Rent\nJanuary,700\nFebruary,720\n",
}

/** Creates a folder with a lease and its prices; returns its id. */
async function makeFolder(box: RunningBox, name: string): Promise<string> {
  const client = getClient(box)
  const { vector } = await client.folders.create({ body: { name } })
  const params = { id: vector.id }
  for (const [fileName, text] of Object.entries(files))
    await client.files.upload({ params, file: new Blob([text]), fileName })
  await expect
    .poll(async () => (await client.files.list({ params })).files.map(({ status }) => status), {
      timeout: 30_000,
    })
    .toEqual(["completed", "completed"])
  return vector.id
}

async function ask(page: Page, question: string): Promise<void> {
  await page.getByLabel("Message", { exact: true }).fill(question)
  await page.keyboard.press("Enter")
  await expect(answer(page).getByRole("list", { name: "Sources" })).toBeVisible()
  await expect(page.getByRole("button", { name: "Stop" })).toBeHidden()
}

// Catches citations that need a mouse or many keys, and a field that Esc doesn't leave, or leaves when it closes something else.
test("a question is asked and its citations are read by keyboard, with few keys", async ({ page, box }) => {
  const client = getClient(box)
  const folder = await makeFolder(box, "Keys")
  await client.models.choose({ body: { role: "chat", modelId: null } })
  await signIn(page, box)
  await page.goto(`${box.url}/#/?folder=${folder}`)
  await expect(page.getByLabel("Message", { exact: true })).toBeFocused()
  await page.keyboard.insertText("What is the notice period of the flat, and the rent in January?")
  let keys = 0
  const press = async (key: string) => {
    keys++
    await page.keyboard.press(key)
  }
  await press("Enter")
  await expect(answer(page).getByRole("list", { name: "Sources" })).toBeVisible()
  await page.keyboard.insertText("Later")
  await press("Escape")
  await expect(page.getByLabel("Message", { exact: true })).not.toBeFocused()
  await press("j")
  await expect(page.getByLabel("Message", { exact: true })).toHaveValue("Later")
  await expect(marks(page, "strong").first()).toBeVisible()
  await expect(panel(page)).toContainText("1 of 2")
  await press("j")
  await expect(panel(page)).toContainText("2 of 2")
  // When there is something to close, Esc does only that.
  await page.getByLabel("Message", { exact: true }).focus()
  await press("Escape")
  await expect(panel(page)).toBeHidden()
  await expect(page.getByLabel("Message", { exact: true })).toBeFocused()
  expect(keys).toBeLessThanOrEqual(12)
})

// Catches citations in the middle and at the end of a long answer that need many keys.
test("the first, middle and last citation of a long answer are a few keys away", async ({ page, box }) => {
  const flats = Array.from({ length: 18 }, (_, index) => index + 1)
  await using model = await startModelServer(() => ({
    text: flats.map((number) => `A flat has its own notice period [${number}].`).join("\n\n"),
  }))
  const client = getClient(box)
  const { server } = await client.modelServers.add({ body: { name: "Told", url: model.baseUrl } })
  await client.models.choose({ body: { role: "chat", modelId: server.models[0]?.id ?? "" } })
  const { vector } = await client.folders.create({ body: { name: "Many flats" } })
  const params = { id: vector.id }
  for (const number of flats) {
    const text = `The notice period of flat ${number} is ${number} months, and its rent is ${number * 100}.`
    await client.files.upload({ params, file: new Blob([text]), fileName: `flat-${number}.txt` })
  }
  await expect
    .poll(async () => new Set((await client.files.list({ params })).files.map(({ status }) => status)))
    .toEqual(new Set(["completed"]))
  await signIn(page, box)
  await page.goto(`${box.url}/#/?folder=${vector.id}`)
  await expect(page.getByLabel("Message", { exact: true })).toBeFocused()
  await page.keyboard.insertText("What is the notice period of each flat?")
  await page.keyboard.press("Enter")
  await expect(answer(page).getByRole("list", { name: "Sources" })).toBeVisible()
  await expect(page.getByRole("button", { name: "Stop" })).toBeHidden()
  await page.keyboard.press("j") // the answer is complete
  await expect(page.getByLabel("Message", { exact: true })).toHaveValue("j")
  await page.keyboard.press("Backspace")
  const at = panel(page).getByText(/^\d+ of \d+$/)
  let keys = 0
  /** Opens a citation with the given key, starting in the message field; returns the number of citations. */
  async function stepTo(key: "j" | "k", wanted: (count: number) => number): Promise<number> {
    keys = 1 // the key that sent the question
    const press = async (one: string) => {
      keys++
      await page.keyboard.press(one)
    }
    await press("Shift+Tab")
    await press(key)
    const count = Number(/\d+$/.exec((await at.textContent()) ?? "")?.[0])
    for (let number = key === "j" ? 1 : count; number !== wanted(count);) {
      await expect(at).toHaveText(`${number} of ${count}`)
      await press(key)
      number += key === "j" ? 1 : -1
    }
    await expect(at).toHaveText(`${wanted(count)} of ${count}`)
    expect(keys).toBeLessThanOrEqual(12)
    await page.keyboard.press("Escape")
    await expect(panel(page)).toBeHidden()
    await page.getByLabel("Message", { exact: true }).focus()
    return count
  }
  expect(await stepTo("j", () => 1)).toBeGreaterThanOrEqual(8)
  await stepTo("j", (count) => Math.floor(count / 2))
  await stepTo("k", (count) => Math.floor(count / 2) + 1)
  await stepTo("k", (count) => count)
})

// Catches a whole passage marked evenly, citations that can only be opened one by one with a pointer, an open document from which Back
// leaves the chat, and one that a reload closes.
test("the quoted words of a source are marked, stepped through, and closed by Back", async ({
  page,
  box,
}) => {
  await using model = await startModelServer(() => ({
    text: "You must give notice three months ahead [1]. The rent in January is 700 [2].",
  }))
  const client = getClient(box)
  const { server } = await client.modelServers.add({ body: { name: "Told", url: model.baseUrl } })
  await client.models.choose({ body: { role: "chat", modelId: server.models[0]?.id ?? "" } })
  const folder = await makeFolder(box, "Flat")
  await signIn(page, box)
  await page.goto(`${box.url}/#/?folder=${folder}`)
  await ask(page, "What is the notice period of the flat, and the rent in January?")
  const chat = page.url()
  const first = answer(page).getByRole("button", { name: /^Source 1/ })
  const isLease = ((await first.getAttribute("aria-label")) ?? "").includes("lease")
  await answer(page)
    .getByRole("button", { name: isLease ? /^Source 1/ : /^Source 2/ })
    .click()
  await expect(panel(page).getByRole("heading", { name: "lease.txt" })).toBeVisible()
  await expect(panel(page)).toContainText("matches “")
  await expect(panel(page)).not.toContainText("%")
  await expect(marks(page, "strong").first()).toBeVisible()
  await expect(page).toHaveURL(/document=/)
  await expectAccessible(page, "citation")

  await page.keyboard.press(isLease ? "j" : "k")
  await expect(panel(page).getByRole("heading", { name: "prices.csv" })).toBeVisible()
  await page.keyboard.press(isLease ? "k" : "j")
  await expect(panel(page).getByRole("heading", { name: "lease.txt" })).toBeVisible()

  await page.reload()
  await expect(panel(page).getByRole("heading", { name: "lease.txt" })).toBeVisible()
  await expect(marks(page, "strong").first()).toBeVisible()
  await page.goBack()
  await expect(panel(page)).toBeHidden()
  expect(page.url()).toBe(chat)

  await first.click()
  await expect(panel(page)).toBeVisible()
  await page.keyboard.press("Escape")
  await expect(panel(page)).toBeHidden()
  await expect(page).toHaveURL(chat)
})

// Catches a new chat that has forgotten the last folders, and a file that can't be named while typing.
test("a new chat uses the last folders, and # names a file", async ({ page, box }) => {
  const client = getClient(box)
  const folder = await makeFolder(box, "Named")
  await signIn(page, box)
  await page.goto(`${box.url}/#/?folder=${folder}`)
  await client.models.choose({ body: { role: "chat", modelId: null } })
  await ask(page, "notice period")
  await page.getByRole("link", { name: "New chat" }).click()
  await expect(page.getByRole("button", { name: /Named/ }).last()).toBeVisible()

  const message = page.getByLabel("Message", { exact: true })
  await message.pressSequentially("What is in #pric")
  await page.getByRole("option", { name: /prices\.csv/ }).click()
  await expect(message).toHaveValue("What is in #prices.csv ")
  await expect(page.getByText("prices.csv", { exact: true })).toBeVisible()
})

// Catches the same banner over each answer, a table quoted as a line, and passages presented as an answer.
test("without a model, tables are quoted as tables, and the banner is shown once", async ({ page, box }) => {
  const client = getClient(box)
  const folder = await makeFolder(box, "Quoted")
  await client.models.choose({ body: { role: "chat", modelId: null } })
  await signIn(page, box)
  await page.goto(`${box.url}/#/?folder=${folder}`)
  await ask(page, "rent February")
  await expect(answer(page).getByRole("table").first()).toContainText("720")
  const banners = page.getByText("No model is installed, so these are")
  await expect(banners).toHaveCount(1)
  await ask(page, "notice period")
  await expect(answer(page)).toContainText("three months")
  await expect(banners).toHaveCount(1)
})

/** A workbook whose rows start in different columns: 900 of them, then one with 60 columns, and another sheet. */
function workbook(): Buffer {
  const book = utils.book_new()
  const costs = Array.from({ length: 900 }, (_, index) => [
    null,
    `Item ${index}`,
    index % 3 ? index + 0.5 : null,
    "paid",
  ])
  const wide = Array.from({ length: 60 }, (_, index) => `wide ${index}`)
  const rows = [
    [null, null, "Quantity", "State"],
    ...costs,
    ["Saffron total", null, null, "4711 grams"],
    wide,
  ]
  utils.book_append_sheet(book, utils.aoa_to_sheet(rows), "Costs")
  utils.book_append_sheet(book, utils.aoa_to_sheet([[null, null, null, "Cinnamon", "31 sticks"]]), "Stock")
  return write(book, { type: "buffer", bookType: "xlsx" }) as Buffer
}

// Catches cells without column letters, letters that scroll away or are above the wrong cells, and a cited row that isn't scrolled into
// view.
test("the columns of a sheet keep their letters above them", async ({ page, box }) => {
  const client = getClient(box)
  const { vector } = await client.folders.create({ body: { name: "Spices" } })
  const params = { id: vector.id }
  await client.files.upload({ params, file: new Blob([new Uint8Array(workbook())]), fileName: "spices.xlsx" })
  await expect
    .poll(async () => (await client.files.list({ params })).files[0]?.status, { timeout: 30_000 })
    .toBe("completed")
  await client.models.choose({ body: { role: "chat", modelId: null } })
  await signIn(page, box)
  await page.goto(`${box.url}/#/?folder=${vector.id}`)
  await ask(page, "Saffron total grams")
  await answer(page)
    .getByRole("button", { name: /^Source 1/ })
    .click()

  const text = panel(page).getByRole("document", { name: "Text of the document" })
  const drawn = (name: string) => text.getByText(name, { exact: true })
  /** Checks that the letter drawn nearest above the cell is directly over it. */
  const expectOver = async (letter: string, cell: string) => {
    await expect(drawn(cell)).toBeInViewport()
    await expect(async () => {
      const below = await drawn(cell).boundingBox()
      const boxes = await Promise.all((await drawn(letter).all()).map((one) => one.boundingBox()))
      const above = boxes
        .filter((one) => one && below && one.y < below.y)
        .sort((a, b) => (b?.y ?? 0) - (a?.y ?? 0))
      expect(above[0]?.x).toBeCloseTo(below?.x ?? 0, 0)
      expect(above[0]?.y).toBeGreaterThanOrEqual((await text.boundingBox())?.y ?? Infinity)
    }).toPass()
  }
  await expect(marks(page, "strong").first()).toBeInViewport()
  await expectOver("B", (await marks(page, "strong").first().textContent()) ?? "")
  await text.press("Home")
  await expectOver("C", "Quantity")
  await expectOver("D", "State")
  for (let pages = 0; pages < 10; pages++) await text.press("PageDown")
  await expect(drawn("Quantity")).toBeHidden()
  await expect(drawn("B")).toBeInViewport()
  await text.press("End")
  await expectOver("A", "Saffron total")
  await expectOver("D", "4711 grams")
  await expectOver("D", "Cinnamon")
  await expectOver("E", "31 sticks")
})
