import { readFile } from "node:fs/promises"
import type { Locator, Page } from "@playwright/test"
import { startModelServer } from "../src/box/testing/model-servers/model-server.ts"
import { ensureTestModel } from "../src/box/engines/llama/testing/test-models.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { expectAccessible } from "./expect-accessible.ts"
import { expect, holdToasts, signIn, test } from "./page-test.ts"
import { startBox } from "./running-box.ts"

const sidebar = (page: Page) => page.getByRole("navigation", { name: "Casella" })
const longName = "Minutes of the meetings about the restoration of the western cloister, 1998 to 2026"

/** A box with a full sidebar: a pending call, folders and chats, with one of each pinned. */
async function startFull() {
  await using stack = new AsyncDisposableStack()
  const model = stack.use(
    await startModelServer(({ messages }) =>
      messages.at(-1)?.content?.endsWith("Remember tea") === true
        ? { calls: [{ name: "memory", args: { action: "remember", text: "tea" } }] }
        : { text: "It is done." },
    ),
  )
  const box = stack.use(await startBox("--model", model.baseUrl))
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  const { assistant } = await client.assistants.create({
    body: { name: "Archivist", builtInTools: { memory: true } },
  })
  const folders: string[] = []
  for (const name of [longName, "Two", "Three", "Four", "Five", "Six", "Seven"])
    folders.push((await client.folders.create({ body: { name } })).vector.id)
  const ask = async (id: string, content: string, assistantId?: string) => {
    const messages = [{ role: "user" as const, content }]
    const body = { id, messages, boxAddress: box.url, ...(assistantId === undefined ? {} : { assistantId }) }
    for await (const event of client.chat.send({ body }))
      if (event.type === "error") throw new Error(event.error)
  }
  for (const number of [1, 2, 3, 4, 5, 6, 7]) await ask(`c${number}`, `Question ${number}`)
  await ask("waits", "Remember tea", assistant.id)
  await client.conversations.update({ params: { id: "c1" }, body: { pinned: true } })
  await client.notifications.send({ body: { title: "A mail", category: "email" } })
  const resources = stack.move()
  return {
    box,
    client,
    folders,
    assistantId: assistant.id,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** The browser features that these tests use. */
interface Drawn {
  scrollIntoView(options: { block: "center" }): void
  outerHTML: string
  getBoundingClientRect(): { left: number; top: number; right: number; bottom: number }
  contains(other: Drawn): boolean
}
interface Browser {
  document: { elementFromPoint(x: number, y: number): Drawn | null }
  innerWidth: number
  innerHeight: number
  getComputedStyle(element: Drawn): { opacity: string }
}

/** Whether all of it is on screen and nothing covers its middle. */
const isSeen = (control: Locator): Promise<boolean> =>
  control.evaluate((node: unknown) => {
    const element = node as Drawn
    const { document, innerWidth, innerHeight } = globalThis as unknown as Browser
    const { left, top, right, bottom } = element.getBoundingClientRect()
    const over = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
    const isInside = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight
    return isInside && over !== null && (element.contains(over) || over.contains(element))
  })

/** Some actions are drawn only while the pointer is over their row. */
const isDrawn = (control: Locator): Promise<boolean> =>
  control.evaluate((node: unknown) => {
    const { getComputedStyle } = globalThis as unknown as Browser
    return getComputedStyle(node as Drawn).opacity !== "0"
  })

const getMarkup = (control: Locator): Promise<string> =>
  control.evaluate((node: unknown) => (node as Drawn).outerHTML.slice(0, 200))

// Catches a sidebar whose upper part leaves no room for chats, and a control that is hidden or cut off in a small window.
test("at least five chats are visible at 800 px, and no control is hidden with less room", async ({
  page,
}) => {
  await using full = await startFull()
  await full.client.settings.update({
    body: {
      pins: [
        { kind: "folder", id: full.folders[1] ?? "" },
        { kind: "assistant", id: full.assistantId },
      ],
    },
  })
  await page.setViewportSize({ width: 1280, height: 800 })
  await signIn(page, full.box)
  const chats = sidebar(page).getByRole("region", { name: "Chats" })
  await expect(chats.getByRole("link", { name: "Question 7" })).toBeVisible()
  await expect(sidebar(page).getByRole("link", { name: /^Inbox/ })).toBeInViewport({ ratio: 1 })
  const countSeen = async () => {
    const rows = await chats.getByRole("link").all()
    return (await Promise.all(rows.map(isSeen))).filter(Boolean).length
  }
  await expect.poll(countSeen).toBeGreaterThanOrEqual(5)
  await expectAccessible(page, "full sidebar")

  // 640 × 400 is the size of 1280 × 800 at 200 %.
  for (const [width, height] of [
    [800, 600],
    [640, 400],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height })
    await page.reload()
    const show = page.getByRole("button", { name: "Show the sidebar" })
    await expect(show.or(chats).first()).toBeVisible()
    if (await show.isVisible()) await show.click()
    await expect(chats.getByRole("link", { name: "Question 7" })).toBeAttached()
    const controls = sidebar(page).locator("a, button, input")
    for (const control of await controls.all()) {
      if (!(await isDrawn(control))) continue
      const name = await getMarkup(control)
      const isReached = async () => {
        await control.scrollIntoViewIfNeeded()
        return isSeen(control)
      }
      await expect.poll(isReached, `${width} × ${height}: ${name}`).toBe(true)
    }
    // The folder list must be tall enough to browse.
    const folders = await sidebar(page).getByRole("region", { name: "Folders" }).getByRole("link").all()
    const findHidden = async () => {
      await folders[2]?.evaluate((node: unknown) => (node as Drawn).scrollIntoView({ block: "center" }))
      const hidden: string[] = []
      for (const folder of folders.slice(0, 5))
        if (!(await isSeen(folder))) hidden.push(await getMarkup(folder))
      return hidden
    }
    await expect.poll(findHidden, `${width} × ${height}`).toEqual([])
  }
})

// Catches a pinned item that isn't listed, or is forgotten on a reload.
test("chats, folders and assistants are pinned, and unpinned where they are listed", async ({ page }) => {
  await using full = await startFull()
  await signIn(page, full.box)
  const pinned = sidebar(page).getByRole("region", { name: "Pinned" })
  await expect(pinned.getByRole("link")).toHaveText(["Question 1"])
  const folder = sidebar(page).getByRole("link", { name: "Two", exact: true }).first()
  await folder.hover()
  await sidebar(page).getByRole("button", { name: "Pin “Two”" }).click()
  await expect(pinned.getByRole("link", { name: "Two" })).toBeVisible()

  await page.goto(`${full.box.url}/#/assistants`)
  await page.getByRole("button", { name: "Actions for Archivist" }).click()
  await page.getByRole("menuitem", { name: "Pin" }).click()
  await expect(pinned.getByRole("link", { name: "Archivist" })).toBeVisible()
  await page.reload()
  await expect(pinned.getByRole("link")).toHaveText(["Question 1", "Two", "Archivist"])
  await pinned.getByRole("link", { name: "Archivist" }).click()
  await expect(page).toHaveURL(/assistant=/)
  await expect(page.getByLabel("Message", { exact: true })).toBeFocused()
  await pinned.getByRole("link", { name: "Two" }).focus()
  await page.keyboard.press("Tab")
  await page.keyboard.press("Enter")
  await expect(pinned.getByRole("link", { name: "Two" })).toBeHidden()
})

// Catches chats that can only be deleted, moved and saved one by one, and a range or undo that includes others.
test("several chats are selected by mouse and keyboard, deleted, restored, moved and saved", async ({
  page,
}) => {
  await using full = await startFull()
  const { project } = await full.client.projects.create({ body: { name: "Cloister" } })
  await full.client.conversations.update({ params: { id: "c1" }, body: { pinned: false } })
  await holdToasts(page)
  await signIn(page, full.box)
  const chats = sidebar(page).getByRole("region", { name: "Chats" })
  const tick = (number: number) => chats.getByRole("checkbox", { name: `Question ${number}` })
  const bar = page.getByRole("region", { name: "Selected chats" })
  await chats.getByRole("link", { name: "Question 5" }).click()
  await chats.getByRole("button", { name: "Select chats" }).click()
  await expect(bar).toContainText("0 selected")
  await tick(6).click()
  await tick(3).click({ modifiers: ["Shift"] })
  await expect(bar).toContainText("4 selected")
  await tick(4).click()
  await tick(2).focus()
  await page.keyboard.press("Space")
  await expect(tick(2)).toBeChecked()
  await expect(bar).toContainText("4 selected")
  await expectAccessible(page, "chats that are picked")
  await bar.getByRole("button", { name: "Delete" }).click()
  await expect(bar).toHaveCount(0)
  // Without the name of any of them.
  await expect(page.getByRole("button", { name: "4 chats deleted", exact: true })).toBeVisible()
  await expect(page.getByRole("heading", { name: "What would you like to know?" })).toBeVisible()
  const ids = async () => (await full.client.conversations.list({ query: {} })).chats.map(({ id }) => id)
  expect((await ids()).sort()).toEqual(["c1", "c4", "c7", "waits"])
  await page.getByRole("button", { name: "Undo", exact: true }).click()
  await expect(chats.getByRole("link", { name: "Question 5" })).toHaveAttribute("aria-current", "page")
  await expect.poll(async () => (await ids()).length).toBe(8)

  await chats.getByRole("button", { name: "Select chats" }).click()
  await tick(7).click()
  await tick(6).click()
  const saved = page.waitForEvent("download")
  await bar.getByRole("button", { name: "Export as text (Markdown)" }).click()
  const text = await readFile(await (await saved).path(), "utf8")
  expect(text).toContain("# Question 7")
  expect(text).toContain("# Question 6")
  await bar.getByRole("button", { name: "Move to a project…" }).click()
  const dialog = page.getByRole("dialog", { name: "Move 2 chats" })
  await dialog.getByLabel("Cloister").check()
  await dialog.getByRole("button", { name: "Move" }).click()
  await expect(page.getByText("2 chats moved")).toBeVisible()
  await expect(chats.getByRole("link", { name: "Question 7" })).toHaveCount(0)
  const moved = await full.client.conversations.list({ query: { projectId: project.id } })
  expect(moved.chats.map(({ id }) => id).sort()).toEqual(["c6", "c7"])

  await chats.getByRole("button", { name: "Select chats" }).click()
  await bar.getByRole("button", { name: "Select all" }).click()
  await expect(bar).toContainText("6 selected")
  await tick(5).focus()
  await page.keyboard.press("Escape")
  await expect(bar).toHaveCount(0)
})

// Catches a switcher that only shows the model, a model whose memory can't be freed, and an Eject for a server's model.
test("the model is changed and ejected at the bottom of the sidebar", async ({ page, box }) => {
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  await using server = await startModelServer(() => ({ text: "Yes." }))
  await client.modelServers.add({ body: { name: "Lab", url: server.baseUrl } })
  await signIn(page, box)
  await sidebar(page).getByRole("button", { name: "No model" }).click()
  const panel = page.getByRole("dialog", { name: "Model in use" })
  await expect(panel).toContainText("No model is in use")
  const { model } = await client.models.add({ body: { path: ensureTestModel() } })
  await panel.getByRole("listitem").getByRole("button", { name: "canned" }).click()
  await expect(panel.getByRole("button", { name: "canned", pressed: true })).toBeVisible()
  await expect(panel.getByRole("button", { name: "Unload" })).toHaveCount(0)
  await panel.getByRole("listitem").getByRole("button", { name: model.name }).click()
  await expect(panel.getByRole("button", { name: "Unload" })).toBeVisible()
  await expectAccessible(page, "model switcher")
  await panel.getByRole("button", { name: "Unload" }).click()
  await expect(sidebar(page).getByRole("button", { name: "No model" })).toBeVisible()
})
