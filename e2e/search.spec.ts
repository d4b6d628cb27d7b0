import type { Page } from "@playwright/test"
import { createClient } from "../src/shared/client/http-client.ts"
import { expectAccessible } from "./expect-accessible.ts"
import { expect, holdToasts, signIn, test } from "./page-test.ts"

const field = (page: Page) => page.getByRole("combobox", { name: "Go to" })
const option = (page: Page, name: string | RegExp) => page.getByRole("option", { name })

async function search(page: Page, text: string): Promise<void> {
  await page.getByRole("button", { name: "Search everything" }).click()
  await field(page).fill(text)
}

// Catches a setting or an action that is found only by its exact name in the app.
test("settings and actions are found by their common names", async ({ page, box }) => {
  await signIn(page, box)
  for (const [text, name] of [
    ["backup", /Settings: Backup/],
    ["mute", "Do not disturb for an hour"],
    ["mute", /Settings: Notifications/],
    ["export", /Settings: Backup/],
    ["dark", /^Theme/],
    ["bug", "Report a problem"],
    ["wifi", /Settings: Network access/],
    ["chatgpt", /Settings: Import chats/],
    ["approve", "Inbox"],
  ] as const) {
    await search(page, text)
    await expect(option(page, name), text).toBeVisible()
    await page.keyboard.press("Escape")
  }
  await search(page, "mute")
  await option(page, "Do not disturb for an hour").click()
  await search(page, "mute")
  await expect(option(page, "Turn off “Do not disturb”")).toBeVisible()
  await expectAccessible(page, "search")
  await option(page, "Turn off “Do not disturb”").click()
})

// Catches a sentence of a document that only its folder's search finds, and a screen whose own actions are last.
test(
  "passages are found and opened, and items of the current screen come first",
  { tag: "@screen/search" },
  async ({ page, box }) => {
    const api = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
    const { id } = (await api.folders.create({ body: { name: "Shelves" } })).vector
    const file = new Blob(["# Umbrella\n\nGreen zucchetto hats lie on the shelf.\n"])
    await api.files.upload({ params: { id }, file, fileName: "hats.md" })
    await expect
      .poll(async () => {
        const { fileCount, pendingCount } = (await api.folders.read({ params: { id } })).vector
        return fileCount - pendingCount
      })
      .toBe(1)
    const asked = api.chat.send({
      body: {
        id: "hats",
        messages: [{ role: "user", content: "Where are they?" }],
        boxAddress: box.url,
        vector: [id],
      },
    })
    for await (const event of asked) expect(event.type).not.toBe("error")
    await holdToasts(page)
    await signIn(page, box)
    await search(page, "zucchetto")
    const passage = page.getByRole("group", { name: "In files" }).getByRole("option")
    await expect(passage).toContainText("hats.md")
    await passage.first().click()
    await expect(page).toHaveURL(/passage=/)
    await expect(page.getByRole("complementary", { name: "Document" })).toContainText("zucchetto")

    await search(page, "")
    await expect(page.getByRole("option").first()).toContainText("Ask about this folder")
    await page.keyboard.press("Escape")
    await page.goto(`${box.url}/#/inter/chat/hats`)
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible()
    await search(page, "export")
    await expect(page.getByRole("option").first()).toContainText("Export this chat as text (Markdown)")
    const download = page.waitForEvent("download")
    await page.keyboard.press("Enter")
    expect((await download).suggestedFilename()).toMatch(/\.md$/)

    await search(page, "rename")
    await expect(page.getByRole("option").first()).toContainText("Rename this chat")
    await page.keyboard.press("Enter")
    const renaming = page.getByRole("dialog", { name: "Rename chat" })
    await renaming.getByLabel("Title").fill("Lost hats")
    await page.keyboard.press("Enter")
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Lost hats")
    await search(page, "move")
    await expect(page.getByRole("option").first()).toContainText("Move this chat")
    await page.keyboard.press("Enter")
    await expect(page.getByRole("dialog", { name: /^Move / })).toBeVisible()
    await page.keyboard.press("Escape")
    await search(page, "archive")
    await expect(page.getByRole("option").first()).toContainText("Delete this chat")
    await page.keyboard.press("Enter")
    await expect(page.getByText("Chat deleted")).toBeVisible()
    await page.keyboard.press("ControlOrMeta+z")
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Lost hats")
  },
)
