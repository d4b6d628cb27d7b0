import { readFileSync } from "node:fs"
import type { Page } from "@playwright/test"
import { makePdf } from "../src/box/parsers/testing/make-pdf.ts"
import {
  isRewriting,
  startModelServer,
  type ModelServer,
  type Round,
} from "../src/box/testing/model-servers/model-server.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { expectAccessible } from "./expect-accessible.ts"
import type { RunningBox } from "./running-box.ts"
import { expect, moveUntilShown, signIn, test } from "./page-test.ts"

const delayOfCards = 250

const answer = (page: Page) => page.getByLabel("Answer", { exact: true }).last()
const chips = (page: Page) => answer(page).getByRole("list", { name: "Sources" })

/** Each is long enough to make its own passages. */
const pages = ["gate", "roof", "well", "barn", "loft", "yard"].map((place) => ({
  lines: [
    `The walrus of the ${place} is called Otto of the ${place}.`,
    ...Array.from(
      { length: 30 },
      (_, line) => `In the ${place} nothing else was seen in the year ${1900 + line}.`,
    ),
  ].map((text) => ({ text })),
}))

/** Creates a folder with a six-page document and a note, and a remote model; returns the folder's id. */
async function prepare(box: RunningBox, model: ModelServer): Promise<string> {
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  const { vector } = await client.folders.create({ body: { name: "Walruses" } })
  const params = { id: vector.id }
  await client.files.upload({
    params,
    file: new Blob([new Uint8Array(makePdf(pages))]),
    fileName: "multipage.pdf",
  })
  await client.files.upload({
    params,
    file: new Blob(["A walrus sleeps a lot."]),
    fileName: "note.txt",
  })
  await expect
    .poll(async () => (await client.files.list({ params })).files.map(({ status }) => status), {
      timeout: 30_000,
    })
    .toEqual(["completed", "completed"])
  const { server } = await client.modelServers.add({ body: { name: "Told", url: model.baseUrl } })
  await client.models.choose({ body: { role: "chat", modelId: server.models[0]?.id ?? "" } })
  return vector.id
}

async function ask(page: Page, question: string): Promise<void> {
  await page.getByLabel("Message", { exact: true }).fill(question)
  await page.keyboard.press("Enter")
}

// Catches a passage that was only found but is shown or exported as a source, a file listed once for each page, a page that opens another,
// and a passage that isn't listed anywhere.
test("cited passages are sources, by file and page, and the others are shown on request", async ({
  page,
  box,
}) => {
  let say: (toNumber: (place: string) => string) => Round = () => ({ text: "Nothing." })
  await using model = await startModelServer((request) => {
    if (isRewriting(request)) return { text: "How do walruses in the yard sleep?" }
    const { messages } = request
    const passages = messages.at(-1)?.content?.split("<passage ") ?? []
    return say(
      (place) => `[${/number="(\d+)"/.exec(passages.find((text) => text.includes(place)) ?? "")?.[1]}]`,
    )
  })
  const folder = await prepare(box, model)
  await signIn(page, box)
  await page.goto(`${box.url}/#/?folder=${folder}`)

  say = (toNumber) => ({
    text: `Of the yard ${toNumber("Otto of the yard")}, of the roof ${toNumber("Otto of the roof")}.`,
  })
  await ask(page, "What are the walruses called?")
  await expect(chips(page).getByRole("listitem")).toHaveText(["multipage.pdfp. 2, 6"])
  await chips(page).getByRole("button", { name: "multipage.pdf p. 6" }).click()
  const document = page.getByRole("complementary", { name: "Document" })
  await expect(document).toContainText("Page 6")
  await document.getByRole("button", { name: "Close" }).click()
  await answer(page).hover()
  await answer(page).getByRole("button", { name: "Why this answer" }).click()
  const why = page.getByRole("complementary", { name: "Why this answer" })
  await expect(why).toContainText("Cited: 2 passages")
  await expect(why).toContainText(/\d+ passages given to the model but not cited/)
  await expectAccessible(page)
  await why.getByRole("button", { name: "Close" }).click()
  await expect(answer(page).getByRole("button", { name: "Why this answer" })).toBeFocused()

  // There is no room for two panels next to the chat.
  await chips(page).getByRole("button", { name: "multipage.pdf p. 6" }).click()
  await expect(document).toBeVisible()
  await answer(page).getByRole("button", { name: "Why this answer" }).click()
  await expect(why).toBeVisible()
  await expect(document).toBeHidden()
  await chips(page).getByRole("button", { name: "multipage.pdf p. 6" }).click()
  await expect(document).toBeVisible()
  await expect(why).toBeHidden()
  await document.getByRole("button", { name: "Close" }).click()
  await page.getByRole("main").getByLabel("Chat actions").click()
  const coming = page.waitForEvent("download")
  await page.getByRole("menuitem", { name: "Export as text (Markdown)" }).click()
  const exported = readFileSync(await (await coming).path(), "utf8")
  expect(exported).toContain("multipage.pdf, Page 6")
  expect(exported).not.toContain("Page 3")
  expect(exported).not.toContain("note.txt")

  say = () => ({ text: "I think ", unended: true })
  await ask(page, "And how do walruses sleep?")
  await expect(answer(page)).toContainText("I think")
  await page.getByRole("button", { name: "Stop" }).click()
  await expect(answer(page).getByText("Stopped.")).toBeVisible()
  await expect(chips(page)).toBeHidden()
  await answer(page).hover()
  await answer(page).getByRole("button", { name: "Why this answer" }).click()
  await expect(why).toContainText("How do walruses in the yard sleep?")
  await expect(why).toContainText("as rewritten by the model")
  await why.getByRole("button", { name: "Close" }).click()

  let asked = 0
  say = () =>
    asked++ === 0
      ? { calls: [{ name: "searchFolder", args: { query: "walrus loft" } }] }
      : { text: "I looked; `list[1]` is all." }
  await ask(page, "Who is in the loft?")
  await expect(answer(page)).toContainText("is all.")
  await expect(page.getByRole("button", { name: "Stop" })).toBeHidden()
  await expect(chips(page)).toBeHidden()
})

// Catches a preview that opens because the page moved a number under a resting pointer, one that stays after the number has moved, and one
// over the document it opened.
test("moving the pointer opens a passage preview, but moving the page doesn't", async ({ page, box }) => {
  await using model = await startModelServer(() => ({ text: `${"It is long.\n\n".repeat(40)}See [1].` }))
  const folder = await prepare(box, model)
  await signIn(page, box)
  await page.goto(`${box.url}/#/?folder=${folder}`)
  await ask(page, "What are the walruses called?")
  const number = answer(page).getByRole("button", { name: /^Source 1/ })
  await expect(chips(page)).toBeVisible()
  // The stored answer replaces the streamed one.
  await expect(page.getByRole("button", { name: "Stop" })).toBeHidden()
  await expect(() => number.scrollIntoViewIfNeeded({ timeout: 2_000 })).toPass()
  const card = page.locator("[data-side]").filter({ hasText: "matches" })
  await moveUntilShown(page, number, card)

  await page.mouse.wheel(0, -100)
  await expect(card).toBeHidden()
  const entered = page.evaluate(`new Promise((later) => {
    const number = document.querySelector('[aria-label^="Source 1"]')
    number.addEventListener("pointerenter", () => setTimeout(later, ${delayOfCards + 100}))
  })`)
  await page.mouse.wheel(0, 100)
  await entered
  await expect(card).toBeHidden()

  await moveUntilShown(page, number, card)
  await number.click()
  await expect(page.getByRole("complementary", { name: "Document" })).toBeVisible()
  await expect(card).toBeHidden()
})
