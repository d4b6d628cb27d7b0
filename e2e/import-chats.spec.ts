import type { Page, TestInfo } from "@playwright/test"
import { createClient } from "../src/shared/client/http-client.ts"
import { expectAccessible } from "./expect-accessible.ts"
import { dropWhenInvited, expect, signIn, test, writeText } from "./page-test.ts"
import { startBox } from "./running-box.ts"

const longTitle =
  "What we said about the restoration of the western cloister, and what it may cost in all the years to come"

const claude = (number: number, { words = "What is it?", name = `Chat ${number}`, length = 2 } = {}) => ({
  uuid: `chat-${number}`,
  name,
  created_at: "2024-03-03T10:00:00Z",
  updated_at: `2025-05-${String(1 + (number % 28)).padStart(2, "0")}T10:00:00Z`,
  chat_messages: Array.from({ length }, (_, at) => ({
    uuid: `message-${number}-${at}`,
    sender: at % 2 === 0 ? "human" : "assistant",
    text: words,
    created_at: "2024-03-03T10:00:00Z",
    attachments: number === 2 && at === 0 ? [{}] : [],
  })),
})

const choose = (page: Page, path: string) => page.locator("input[type=file]").setInputFiles(path)

/** Answers the screen's first request with the state at that time, but only after a file was sent. */
async function answerLate(page: Page): Promise<void> {
  const sent = page.waitForResponse(/chats\/import\?hold/)
  await page.route(
    "**/chat-imports/newest",
    async (route) => {
      const response = await route.fetch()
      await (await sent).finished()
      await route.fulfill({ response }).catch(() => undefined) // the page may no longer wait for the response
    },
    { times: 1 },
  )
}

const exported = (info: TestInfo, chats: object[], name = "conversations.json") =>
  writeText(info, name, JSON.stringify(chats))

// Catches chats imported without consent, unreadable reasons, no link to the imported chats, duplicates, and imports that can't be undone.
test(
  "an export is inspected, imported after confirmation, and recognised the next time",
  { tag: "@screen/importChats" },
  async ({ page }, info) => {
    await using box = await startBox()
    const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
    await signIn(page, box)
    await answerLate(page)
    await page.getByRole("link", { name: /Import chats from ChatGPT/ }).click()
    await expect(page.getByRole("heading", { name: "Import chats", level: 1 })).toBeVisible()

    await choose(page, writeText(info, "letter.txt", "Dear all, this is a letter."))
    await expect(page.getByRole("alert")).toContainText("neither a ZIP file nor a JSON file of chats")
    await choose(page, writeText(info, "other.json", `{"what": "something else"}`))
    await expect(page.getByRole("alert")).toContainText("no chats from ChatGPT, Claude or Open WebUI")

    const chats = [claude(1, { name: longTitle }), claude(2), claude(3, { words: " " }), { other: 1 }]
    const path = exported(info, chats)
    await dropWhenInvited(page, page.getByText("Drop the file to check it"), [path])
    await expect(page.getByText("3 chats in the file")).toBeVisible()
    await expect(page.getByText(/^From .*2024 to .*2025$/)).toBeVisible()
    expect((await client.conversations.list()).chats).toEqual([])
    await expectAccessible(page)
    await page.getByRole("button", { name: "Import 3 chats" }).click()
    await expect(page.getByText("Imported 2 chats with 4 messages")).toBeVisible()
    await expect(page.getByRole("heading", { name: "Imported chats", level: 2 })).toBeVisible()
    const skipped = page.locator("details")
    await expect(skipped).toHaveCount(3)
    await skipped.filter({ hasText: "no messages with text" }).locator("summary").click()
    await expect(page.getByText("Chat 3", { exact: true })).toBeVisible()
    await expect(skipped.filter({ hasText: "isn't a chat from" })).toContainText("1 chat")
    await expect(skipped.filter({ hasText: "Images and files" })).toContainText("1 chat")
    await expectAccessible(page)

    await choose(page, path)
    await expect(page.getByText("2 of them are already in Casella")).toBeVisible()
    await page.getByRole("button", { name: "Import 3 chats" }).click()
    await expect(
      page.getByText("All of these chats are already in Casella. Nothing was imported."),
    ).toBeVisible()
    expect((await client.conversations.list()).chats).toHaveLength(2)

    await choose(page, exported(info, [claude(1, { name: longTitle, length: 4 })], "longer.json"))
    await page.getByRole("button", { name: "Import 1 chat" }).click()
    const brought = page.getByRole("link", { name: new RegExp(longTitle) })
    await page.getByRole("button", { name: "Undo import" }).click()
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click()
    await expect(brought).toHaveCount(0)
    const left = async () => (await client.conversations.list()).chats.map(({ title }) => title)
    await expect.poll(left).toEqual(["Chat 2"])
    await page.getByRole("button", { name: "Undo", exact: true }).click()
    await brought.last().click()
    await expect(page.getByRole("heading", { name: longTitle, level: 1 })).toBeVisible()
  },
)

// Catches an import that can't be stopped, a screen that has forgotten it, and English reasons on an Italian page.
test("an import is stopped, resumed with the same file, and reported in Italian", async ({ page }, info) => {
  await using box = await startBox()
  await signIn(page, box)
  await page.goto(`${box.url}/#/settings/import`)
  await expect(page.getByRole("heading", { name: "Import chats", level: 1 })).toBeVisible()
  const words = "What is said about it. ".repeat(50)
  const all = 400
  const path = exported(info, [
    { other: 1 },
    ...Array.from({ length: all }, (_, number) => claude(number + 10, { words, length: 20 })),
  ])
  await choose(page, path)
  await page.getByRole("button", { name: `Import ${all} chats` }).click()
  await expect(page.getByText(/\d+ of 400 chats/)).toBeVisible()
  await page.reload()
  await page.getByRole("button", { name: "Stop" }).click()
  await expect(page.getByText("Import stopped")).toBeVisible()
  await page.evaluate(`localStorage.setItem("language", "it")`)
  await page.reload()
  await choose(page, path)
  await expect(page.getByText("400 chat nel file")).toBeVisible()
  await page.getByRole("button", { name: "Importa 400 chat" }).click()
  await expect(page.getByText(/Importate \d+ chat/)).toBeVisible({ timeout: 60_000 })
  await expect(page.getByText("Non è una chat di ChatGPT, Claude o Open WebUI.")).toBeVisible()
  await page.setViewportSize({ width: 390, height: 844 })
  await expectAccessible(page)
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  expect((await client.conversations.list({ query: { limit: 1 } })).pagination.total).toBe(all)
})

// Catches an upload that is lost or sent twice when its screen is left, and a window that closes during it without asking.
test("an export upload continues when its screen is left, and the window asks before it closes", async ({
  page,
}, info) => {
  await using box = await startBox()
  await signIn(page, box)
  await page.goto(`${box.url}/#/settings/import`)
  await expect(page.getByRole("heading", { name: "Import chats", level: 1 })).toBeVisible()
  const gate = Promise.withResolvers<void>()
  await page.route(/chats\/import\?hold/, async (route) => {
    await gate.promise
    await route.continue().catch(() => undefined) // the upload was stopped
  })
  const path = exported(info, [claude(1)])
  const sending = page.getByRole("progressbar", { name: "conversations.json" })
  await choose(page, path)
  await expect(sending).toBeVisible()
  await page.getByRole("link", { name: "Appearance" }).click()
  await expect(page.getByRole("heading", { name: "Appearance and language", level: 1 })).toBeVisible()
  await page.getByRole("link", { name: "Import chats" }).click()
  await expect(sending).toBeVisible()
  await expect(page.getByRole("button", { name: "Choose a file" })).toBeDisabled()
  const asked = page.waitForEvent("dialog")
  await page.close({ runBeforeUnload: true })
  const question = await asked
  expect(question.type()).toBe("beforeunload")
  await question.dismiss()

  await page.getByRole("button", { name: "Stop" }).click()
  await expect(sending).toBeHidden()
  await expect(page.getByRole("alert")).toHaveCount(0)
  await choose(page, path)
  await expect(sending).toBeVisible()
  await page.getByRole("link", { name: "Appearance" }).click()
  gate.resolve()
  await page.getByRole("link", { name: "Import chats" }).click()
  await expect(page.getByText("1 chat in the file")).toBeVisible()

  // A returning user sees why the upload failed.
  await page.unrouteAll()
  const refused = Promise.withResolvers<void>()
  await page.route(/chats\/import\?hold/, async (route) => {
    await refused.promise
    await route.abort()
  })
  await choose(page, path)
  await page.getByRole("link", { name: "Appearance" }).click()
  const failed = page.waitForEvent("requestfailed")
  refused.resolve()
  await failed
  await page.getByRole("link", { name: "Import chats" }).click()
  await expect(page.getByRole("alert")).toBeVisible()
})
