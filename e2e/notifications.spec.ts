import type { Page } from "@playwright/test"
import { createClient, type Client } from "../src/shared/client/http-client.ts"
import { languageCodes } from "../src/shared/languages.ts"
import { expectAccessible } from "./expect-accessible.ts"
import { routes } from "../src/renderer/lib/navigation/routes.ts"
import { expect, goToScreen, holdToasts, signIn, test } from "./page-test.ts"
import { say } from "./page-strings.ts"
import type { RunningBox } from "./running-box.ts"

type Draft = Parameters<Client["notifications"]["send"]>[0]["body"]

/** Posts with a key, as a script does. */
const getScript = (box: RunningBox) => createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
const post = (box: RunningBox, body: Draft) => getScript(box).notifications.send({ body })

const bell = (page: Page) => page.getByRole("button", { name: /^Inbox/ })
const toasts = (page: Page) => page.locator("[data-toasts]")
const panel = (page: Page) => page.getByRole("dialog", { name: "Inbox" })

test.beforeEach(async ({ page, box }) => {
  await getScript(box).notifications.markAllRead()
  await signIn(page, box)
  await page.mouse.move(600, 300)
})

test(
  "a script's post leads to a toast, a badge, the bell, and the linked route",
  { tag: "@screen/bell" },
  async ({ page, box }) => {
    await holdToasts(page)
    await post(box, {
      title: "Backup finished",
      description: "12 GB in 4 minutes",
      deepLink: "/settings/keys",
    })
    await expect(toasts(page)).toContainText("Backup finished")
    await expect(toasts(page)).toContainText("12 GB in 4 minutes")
    await expect(bell(page)).toHaveAccessibleName("Inbox, 1 unread")
    await bell(page).click()
    await expect(panel(page).getByRole("heading", { name: "Today" })).toBeVisible()
    await panel(page)
      .getByRole("button", { name: /Backup finished/ })
      .click()
    await expect(page).toHaveURL(/#\/settings\/keys$/)
    await expect(panel(page)).toBeHidden()
    await expect(bell(page)).toHaveAccessibleName("Inbox")
  },
)

test("Open chat takes precedence over the deep link, and the chat on screen sends no toast", async ({
  page,
  box,
}) => {
  await holdToasts(page)
  await post(box, { title: "Summary written", chatId: "weekly", deepLink: "/settings" })
  await toasts(page).getByRole("button", { name: "Open chat" }).click()
  await expect(page).toHaveURL(/#\/inter\/chat\/weekly$/)
  await post(box, { title: "Seen already", chatId: "weekly" })
  await post(box, { title: "About something else" })
  await expect(toasts(page)).toContainText("About something else")
  await expect(toasts(page)).not.toContainText("Seen already")
  await expect(bell(page)).toHaveAccessibleName("Inbox, 1 unread")
})

/** Reloads the page with a socket whose messages can be held back, so that several arrive together even if the box is busy. */
async function holdSocket(page: Page) {
  const connected = Promise.withResolvers<void>()
  const held: string[] = []
  let isHeld = false
  let send: (text: string) => void = () => undefined
  await page.routeWebSocket(/./, (socket) => {
    send = (text) => socket.send(text)
    socket.connectToServer().onMessage((message) => {
      if (isHeld) held.push(String(message))
      else send(String(message))
      connected.resolve()
    })
  })
  await page.reload()
  await connected.promise
  return {
    hold: () => void (isHeld = true),
    held: (): readonly string[] => held,
    letGo() {
      isHeld = false
      for (const text of held.splice(0)) send(text)
    },
  }
}

test("several notifications share one toast; silentToast, silent and do-not-disturb show none", async ({
  page,
  box,
}) => {
  await holdToasts(page)
  const socket = await holdSocket(page)
  await post(box, { title: "Quiet one", silentToast: true })
  await post(box, { title: "Silent one", silent: true })
  socket.hold()
  await Promise.all(["A", "B", "C"].map((title) => post(box, { title })))
  await expect.poll(() => socket.held().filter((text) => /"title":"[ABC]"/.test(text)).length).toBe(3)
  socket.letGo()
  await expect(toasts(page)).toContainText("3 new notifications")
  await expect(toasts(page)).not.toContainText("Quiet one")
  await toasts(page).getByRole("button", { name: "Show all" }).click()
  await expect(panel(page).getByRole("button", { name: /Silent one/ })).toBeVisible()
  await panel(page).getByRole("button", { name: "Do not disturb" }).click()
  await page.getByRole("menuitem", { name: "For an hour" }).click()
  await post(box, { title: "At night" })
  await expect(panel(page).getByRole("button", { name: /At night/ })).toBeVisible()
  await expect(toasts(page)).toBeEmpty()
  await panel(page).getByRole("button", { name: "Do not disturb" }).click()
  await page.getByRole("menuitem", { name: "Turn off “Do not disturb”", exact: true }).click()
})

test("rows are marked, filtered, deleted and restored", async ({ page, box }) => {
  await post(box, { title: "Rows: mail", category: "email", silentToast: true })
  await post(box, { title: "Rows: build", category: "backgroundTasks", type: "error", silentToast: true })
  await bell(page).click()
  const row = (title: string) => panel(page).getByRole("listitem").filter({ hasText: title })
  await row("Rows: mail").hover()
  await row("Rows: mail").getByRole("button", { name: "Mark as read" }).click()
  await panel(page).getByRole("button", { name: "Unread", exact: true }).click()
  await expect(row("Rows: build")).toBeVisible()
  await expect(row("Rows: mail")).toBeHidden()
  await panel(page).getByRole("button", { name: "Unread", exact: true }).click()
  await panel(page).getByLabel("Category").selectOption("Email")
  await expect(row("Rows: mail")).toBeVisible()
  await expect(row("Rows: build")).toBeHidden()

  await row("Rows: mail").locator("[data-row]").focus()
  await page.keyboard.press("Delete")
  await expect(row("Rows: mail")).toBeHidden()
  await toasts(page).getByRole("button", { name: "Undo", exact: true }).click()
  await expect(row("Rows: mail")).toBeVisible()
  await row("Rows: mail").locator("[data-row]").focus()
  await page.keyboard.press("Delete")
  await expect
    .poll(async () => {
      const { notifications } = await getScript(box).notifications.list({ query: { category: "email" } })
      return notifications.map(({ title }) => title)
    })
    .not.toContain("Rows: mail")

  await panel(page).getByRole("button", { name: "Mark all as read" }).click()
  await expect(bell(page)).toHaveAccessibleName("Inbox")
})

test(
  "a muted category is neither shown nor counted; some categories can't be muted",
  { tag: "@screen/notificationSettings" },
  async ({ page, box }) => {
    await holdToasts(page)
    await page.goto(`${box.url}/#/settings/notifications`)
    await expect(page.getByRole("switch", { name: "System", exact: true })).toBeDisabled()
    const calendar = page.getByRole("switch", { name: "Calendar", exact: true })
    await calendar.click()
    await expect(calendar).not.toBeChecked()
    await expect(calendar).toBeEnabled()
    await post(box, { title: "Muted", category: "calendar" })
    await post(box, { title: "Not muted", category: "scheduler" })
    await expect(toasts(page)).toContainText("Not muted")
    await expect(bell(page)).toHaveAccessibleName("Inbox, 1 unread")
    await bell(page).click()
    await expect(panel(page).getByRole("listitem").filter({ hasText: "Not muted" })).toBeVisible()
    await expect(panel(page).getByText("Muted", { exact: true })).toBeHidden()
  },
)

// Catches a web image loaded by the page, which would reveal to its host when and from where the user looks.
test("a sender's web image is never loaded, and initials replace it", async ({ page, box }) => {
  const foreign: string[] = []
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== box.url && !request.url().startsWith("data:"))
      foreign.push(request.url())
  })
  await post(box, {
    title: "With a face",
    silentToast: true,
    sender: { kind: "user", name: "Grace Hopper", imageUrl: "https://pictures.example/grace.png" },
  })
  await bell(page).click()
  const row = panel(page).getByRole("listitem").filter({ hasText: "With a face" })
  await expect(row.getByText("GH", { exact: true })).toBeVisible()
  expect(await row.locator("img[src^='http']").count()).toBe(0)
  expect(foreign).toEqual([])
})

// Catches English notifications from the box on a translated page.
test("notifications from the box are in the page's language", async ({ page, box }) => {
  const { folders, files } = getScript(box)
  const { id } = (await folders.create({ body: { name: "Bolle" } })).vector
  await files.upload({ params: { id }, file: new Blob(["Una bolla."]), fileName: "bolla.txt" })
  for (const language of languageCodes) {
    await page.evaluate(`localStorage.setItem("language", "${language}")`)
    await page.reload()
    const inbox = say(language, "notifications:title")
    await page.getByRole("button", { name: new RegExp(`^${inbox}`) }).click()
    const row = page.getByRole("dialog", { name: inbox }).getByRole("listitem").filter({ hasText: "Bolle" })
    const fill = (text: string) => text.replace("{{folder}}", "Bolle").replace("{{count, number}}", "1")
    await expect(row).toContainText(fill(say(language, "notifications:news.folder_indexed")))
    await expect(row).toContainText(fill(say(language, "notifications:news.indexed_one")))
  }
})

test("several deletions are undone together", async ({ page, box }) => {
  await post(box, { title: "First of two", category: "contacts", silentToast: true })
  await post(box, { title: "Second of two", category: "contacts", silentToast: true })
  await bell(page).click()
  await panel(page).getByLabel("Category").selectOption("Contacts")
  const rows = panel(page).locator("[data-row]", { hasText: "of two" })
  await expect(rows).toHaveCount(2)
  await rows.first().focus()
  await page.keyboard.press("Delete")
  await page.keyboard.press("Delete")
  await expect(toasts(page)).toContainText("2 notifications deleted")
  await toasts(page).getByRole("button", { name: "Undo", exact: true }).click()
  await expect(rows).toHaveCount(2)
})

/** Runs in the page: the tags of rows and controls that are below the toasts. */
const coveredByToasts = `(() => {
  const shown = document.querySelector("[data-toasts]")
  const { left, right, top, bottom } = shown.getBoundingClientRect()
  const points = [left + 1, (left + right) / 2, right - 1].flatMap((x) =>
    [top + 1, (top + bottom) / 2, bottom - 1].flatMap((y) => document.elementsFromPoint(x, y)),
  )
  return points
    .filter((element) => !shown.contains(element) && element.closest("[data-row], header, select"))
    .map(({ tagName }) => tagName)
})()`

// Catches a toast over the rows or the controls of the open list, which can't be read or clicked then.
for (const viewport of [
  { width: 390, height: 844 },
  { width: 800, height: 600 },
])
  for (const route of [routes.newChat, routes.folders])
    test(`in a window of ${viewport.width} pixels, a toast covers nothing of the open list on ${route}`, async ({
      page,
      box,
    }) => {
      await page.setViewportSize(viewport)
      await holdToasts(page)
      for (let number = 0; number < 10; number++)
        await post(box, { title: `Narrow ${number}`, category: "contacts", silentToast: true })
      await goToScreen(page, box, route)
      const sidebar = page.getByRole("button", { name: "Show the sidebar" })
      if (await sidebar.isVisible()) await sidebar.click()
      await bell(page).click()
      const rows = panel(page).locator("[data-row]")
      await expect(rows.first()).toContainText("Narrow 9")
      await rows.first().focus()
      await page.keyboard.press("Delete")
      await expect(toasts(page)).toContainText("Notification deleted")
      await expect.poll(() => page.evaluate(coveredByToasts)).toEqual([])
      await toasts(page).getByRole("button", { name: "Undo", exact: true }).click()
      await expect(rows.first()).toContainText("Narrow 9")
    })

// Catches popups without permission, and one about the focused screen.
test("after permission is granted, a system popup appears while the user is in another window", async ({
  page,
  box,
}) => {
  await page.context().grantPermissions(["notifications"], { origin: box.url })
  await page.evaluate(() => {
    const shown: string[] = []
    class Popup extends EventTarget {
      static permission = "granted"
      close = () => {}
      constructor(title: string) {
        super()
        shown.push(title)
        setTimeout(() => this.dispatchEvent(new Event("click")))
      }
    }
    Object.assign(globalThis, { Notification: Popup, shown })
  })
  const shown = () => page.evaluate(() => (globalThis as unknown as { shown: string[] }).shown)
  await holdToasts(page)
  await post(box, { title: "While you look", deepLink: "/settings/keys" })
  await expect(toasts(page)).toContainText("While you look")
  await page.evaluate(() =>
    Object.assign((globalThis as unknown as { document: object }).document, { hasFocus: () => false }),
  )
  await post(box, { title: "While you are away", deepLink: "/settings/models", silentToast: true })
  await expect(page).toHaveURL(/#\/settings\/models$/)
  expect(await shown()).toEqual(["While you are away"])
})

test("the keyboard alone opens, navigates, follows and closes", async ({ page, box }) => {
  await post(box, { title: "Keys: older", deepLink: "/settings/keys", silentToast: true })
  await post(box, { title: "Keys: newer", deepLink: "/settings/models", silentToast: true })
  await bell(page).focus()
  await page.keyboard.press("Enter")
  const focused = panel(page).locator("[data-row]:focus")
  await expect(panel(page).getByText("Keys: newer")).toBeVisible()
  await expect(async () => {
    await page.keyboard.press("ArrowDown")
    await expect(focused).toContainText("Keys: older", { timeout: 300 })
  }).toPass()
  await page.keyboard.press("ArrowUp")
  await expect(focused).toContainText("Keys: newer")
  // Opening marks notifications as seen, but not yet as read.
  await expect
    .poll(async () => {
      const { notifications } = await getScript(box).notifications.list({ query: { limit: 2 } })
      return notifications.map(({ seen, read }) => ({ seen, read }))
    })
    .toEqual([
      { seen: true, read: false },
      { seen: true, read: false },
    ])
  await page.keyboard.press("Enter")
  await expect(page).toHaveURL(/#\/settings\/models$/)
  await page.keyboard.press("Escape")
  await expect(panel(page)).toBeHidden()
})

// Catches a list that draws every row, or that stops after its first page.
test("a list of thousands of rows can be scrolled", async ({ page, box }) => {
  test.slow()
  await page.goto("about:blank") // no page shows each one as it arrives
  for (let batch = 0; batch < 10; batch++) {
    await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        post(box, { title: `No. ${batch * 100 + index}.`, category: "contacts", silent: true, read: true }),
      ),
    )
  }
  await page.goto(box.url)
  await bell(page).click()
  await panel(page).getByLabel("Category").selectOption("Contacts")
  const rows = panel(page).locator("[data-row]")
  await expect(rows.first()).toContainText(/^No\. 9\d\d\./)
  expect(await rows.count()).toBeLessThan(60)
  await rows.first().hover()
  await expect(async () => {
    await page.mouse.wheel(0, 20_000)
    // Those of the first batch were sent at the same time, so that any of them may be the oldest.
    await expect(rows.filter({ hasText: /^No\. \d\d?\./ }).first()).toBeVisible({ timeout: 500 })
  }).toPass()
  expect(await rows.count()).toBeLessThan(60)
})

for (const colorScheme of ["light", "dark"] as const) {
  test(`the bell has no serious fault in ${colorScheme}`, async ({ page, box }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
    await holdToasts(page)
    await post(box, {
      title: `From a person (${colorScheme})`,
      type: "error",
      sender: { kind: "user", name: "Ada Lovelace", color: "#ffd400" },
    })
    await expect(toasts(page)).toContainText(`From a person (${colorScheme})`)
    await bell(page).click()
    await expect(panel(page).getByText(`From a person (${colorScheme})`)).toBeVisible()
    await expectAccessible(page)
  })
}
