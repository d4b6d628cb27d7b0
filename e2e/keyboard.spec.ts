import type { Page } from "@playwright/test"
import { createClient } from "../src/shared/client/http-client.ts"
import { expect, goToScreen, signIn, test } from "./page-test.ts"
import type { RunningBox } from "./running-box.ts"

const getScript = (box: RunningBox) => createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
const focused = (page: Page) => page.locator(":focus")
const toasts = (page: Page) => page.locator("[data-toasts]")

test.beforeEach(({ page, box }) => signIn(page, box))

/** Runs in the page: names of the screen's elements that Tab should reach. */
const reachable = `[...document.querySelectorAll("main :is(button, a[href], input, textarea, select, summary, [tabindex='0'])")]
  .filter((element) => element.tabIndex >= 0 && !element.disabled && element.checkVisibility({ visibilityProperty: true }))
  // Of radio buttons only the chosen one is on the way; the arrow keys go on from there.
  .filter((element) => element.type !== "radio" || element.checked)`

const screens = [
  "/",
  "/assistants",
  "/assistants/new",
  "/dc",
  "/messaggi",
  "/settings",
  "/settings/keys",
  "/settings/notifications",
  "/settings/memory",
  "/settings/tool-servers",
  "/settings/integrations",
  "/settings/people",
  "/settings/models",
  "/settings/models/installed",
  "/settings/models/more",
  "/settings/models/servers",
  "/settings/web-search",
  "/settings/storage",
  "/settings/trash",
  "/settings/backup",
  "/settings/audit",
  "/settings/logs",
  "/settings/appearance",
  "/settings/support",
  "/settings/about",
]
const maxSteps = 200

// Catches a control that only a pointer reaches, and a focus trap.
test("Tab reaches everything on every screen, and leaves it again", async ({ page, box }) => {
  test.slow()
  for (const screen of screens) {
    await goToScreen(page, box, screen)
    await expect(page.getByRole("main").getByText("Loading")).toBeHidden()
    await page.evaluate(`document.activeElement.blur(); globalThis.visited = new Set()`)
    // Tabbing may start in the middle of the screen, where the focus was, so it goes round twice at most.
    let outside = 0
    let missed: string[] | undefined
    for (let step = 0; step < maxSteps && outside < 2 && missed?.length !== 0; step++) {
      await page.keyboard.press("Tab")
      const left = await page.evaluate<boolean>(
        `visited.add(document.activeElement), document.activeElement === document.body`,
      )
      if (!left) continue
      outside++
      missed = await page.evaluate<string[]>(
        `${reachable}.filter((element) => !visited.has(element)).map((element) => element.outerHTML.slice(0, 200))`,
      )
    }
    expect(missed, screen).toEqual([])
  }
})

// Catches deletions that move the focus to the start of the page.
test("after a deletion the next row has the focus, and undo restores the previous focus", async ({
  page,
  box,
}) => {
  for (const title of ["Third", "Second", "First"])
    await getScript(box).notifications.send({ body: { title, category: "contacts", silent: true } })
  await page.getByRole("button", { name: /^Inbox/ }).focus()
  await page.keyboard.press("Enter")
  const panel = page.getByRole("dialog", { name: "Inbox" })
  await expect(panel.getByText("First")).toBeVisible()
  await panel.locator("[data-row]", { hasText: "First" }).focus()
  await page.keyboard.press("Tab")
  await expect(focused(page)).toHaveAccessibleName("Mark as read")
  await page.keyboard.press("Tab")
  await expect(focused(page)).toHaveAccessibleName("Delete")
  await page.keyboard.press("Enter")
  await expect(panel.getByText("First")).toBeHidden()
  await expect(focused(page)).toContainText("Second")
  await toasts(page).getByRole("button", { name: "Undo", exact: true }).focus()
  await page.keyboard.press("Enter")
  await expect(panel.getByText("First")).toBeVisible()
  await expect(focused(page)).toContainText("Second")
})

// Catches an Undo that the keyboard reaches only after everything else on the screen, when it has expired.
test("Ctrl+Z undoes a deletion while its toast is shown, but not while text is typed", async ({
  page,
  box,
}) => {
  const { vector } = await getScript(box).folders.create({ body: { name: "Nothing in it" } })
  const messages = [{ role: "user" as const, content: "Undone" }]
  const asked = getScript(box).chat.send({
    body: { id: "undone", messages, boxAddress: box.url, vector: [vector.id] },
  })
  for await (const event of asked) expect(event.type).not.toBe("error")
  const row = page
    .getByRole("navigation", { name: "Casella" })
    .getByRole("listitem")
    .filter({ hasText: "Undone" })
  await row.getByRole("button", { name: /^Actions for / }).focus()
  await page.keyboard.press("Enter")
  await page.getByRole("menuitem", { name: "Delete" }).press("Enter")
  await expect(row).toBeHidden()
  const undo = toasts(page).getByRole("button", { name: "Undo", exact: true })
  await expect(undo).toBeVisible()
  const field = page.getByLabel("Message", { exact: true })
  await field.fill("Hello")
  await page.keyboard.press("ControlOrMeta+z")
  await expect(row).toBeHidden()
  await field.fill("")
  await page.keyboard.press("ControlOrMeta+z")
  await expect(row).toBeVisible()
  await expect(undo).toBeHidden()
})

// Catches a row menu that moves the focus out of the list.
test("after a file is deleted from its menu, the row that replaces it has the focus", async ({
  page,
  box,
}) => {
  const api = getScript(box)
  const { vector } = await api.folders.create({ body: { name: "Three files" } })
  for (const fileName of ["a.txt", "b.txt", "c.txt"])
    await api.files.upload({ params: { id: vector.id }, file: new Blob([fileName]), fileName })
  const pending = async () => (await api.folders.read({ params: { id: vector.id } })).vector.pendingCount
  await expect.poll(pending).toBe(0)
  await page.goto(`${box.url}/#/dc/vector/${vector.id}`)
  await expect(page.getByRole("columnheader", { name: "3 files" })).toHaveAttribute("aria-sort", "ascending")
  const row = (name: string) => page.getByRole("row", { name: new RegExp(name) })
  await row("b.txt")
    .getByRole("button", { name: /^Actions for / })
    .focus()
  await page.keyboard.press("Enter")
  await page.getByRole("menuitem", { name: "Delete" }).press("Enter")
  await expect(row("b.txt")).toBeHidden()
  await expect(focused(page)).toContainText(".txt")
})

test("a fact is edited and forgotten with the keyboard alone", async ({ page, box }) => {
  for (const text of ["Likes tea", "Lives in Turin"]) await getScript(box).memory.remember({ body: { text } })
  await page.goto(`${box.url}/#/settings/memory`)
  const row = (text: string) => page.getByRole("listitem").filter({ hasText: text })
  await row("Likes tea").getByRole("button", { name: "Edit fact" }).focus()
  await page.keyboard.press("Enter")
  await expect(focused(page)).toHaveValue("Likes tea")
  await page.keyboard.press("Escape")
  await expect(row("Likes tea").locator(":focus")).toHaveCount(1)
  await row("Likes tea").getByRole("button", { name: "Forget" }).focus()
  await page.keyboard.press("Enter")
  await expect(row("Likes tea")).toBeHidden()
  await expect(row("Lives in Turin").locator(":focus")).toHaveCount(1)
})

test("a dialog returns the focus to what opened it, including a menu", async ({ page, box }) => {
  const { vector } = await getScript(box).folders.create({ body: { name: "Empty" } })
  const answer = await fetch(`${box.url}/api/ai/chat`, {
    method: "POST",
    headers: { "x-api-key": box.key, "content-type": "application/json" },
    body: JSON.stringify({
      id: "renamed",
      boxAddress: box.url,
      vector: [vector.id],
      messages: [{ role: "user", content: "A chat to rename" }],
    }),
  })
  await answer.text()
  const chats = page.getByRole("navigation", { name: "Casella" })
  const row = chats.getByRole("listitem").filter({ hasText: "A chat to rename" })
  const menu = row.getByRole("button", { name: /^Actions for / })
  await menu.focus()
  await page.keyboard.press("Enter")
  await page.getByRole("menuitem", { name: "Rename" }).press("Enter")
  await expect(page.getByRole("dialog")).toBeVisible()
  await page.keyboard.press("Escape")
  await expect(page.getByRole("dialog")).toBeHidden()
  await expect(menu).toBeFocused()

  await page.goto(`${box.url}/#/settings/keys`)
  const create = page.getByRole("button", { name: "New key" })
  await create.focus()
  await page.keyboard.press("Enter")
  await expect(page.getByRole("dialog")).toBeVisible()
  await page.keyboard.press("Escape")
  await expect(create).toBeFocused()
})
