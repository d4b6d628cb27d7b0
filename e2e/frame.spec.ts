import type { Page } from "@playwright/test"
import { createClient } from "../src/shared/client/http-client.ts"
import { createFolder, expect, signIn, test } from "./page-test.ts"
import type { RunningBox } from "./running-box.ts"

const getScript = (box: RunningBox) => createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
const sidebar = (page: Page) => page.getByRole("navigation", { name: "Casella" })
const palette = (page: Page) => page.getByRole("combobox", { name: "Go to" })
const option = (page: Page, name: string | RegExp) => page.getByRole("option", { name })

test.beforeEach(({ page, box }) => signIn(page, box))

/** Every address with the name of its screen. */
const addresses: [path: string, name: string][] = [
  ["/assistants", "Assistants"],
  ["/calendar", "Calendar"],
  ["/email", "Email"],
  ["/messaggi", "Messages"],
  ["/messaggi?channel=general", "Channel general"],
  ["/contacts", "Contacts"],
  ["/work", "Automations"],
  ["/recordings", "Recordings"],
  ["/workbox", "Background tasks"],
  ["/settings", "Profile"],
  ["/settings/keys", "API keys"],
  ["/dc", "Folders"],
  ["/nowhere/at/all", "Not found"],
  ["/settings/nowhere", "Not found"],
]

// Catches a screen that only clicks can reach, because links in notifications are plain paths.
test(
  "every address opens its screen, as a plain path and as a hash",
  { tag: "@screen/settings" },
  async ({ page, box }) => {
    const expectScreen = async (address: string, name: string) => {
      await page.goto(box.url + address)
      await expect(page.getByRole("heading", { level: 1, name, exact: true }), address).toBeVisible()
      await expect(page, address).toHaveTitle(`${name} · Casella`)
    }
    for (const [path, name] of addresses) await expectScreen(path, name)
    for (const [path, name] of addresses) {
      await page.goto(`${box.url}/#/`)
      await expectScreen(`/#${path}`, name)
    }
  },
)

test(
  "an area shows what scripts post to it, and how to post",
  { tag: ["@screen/calendar", "@screen/email", "@screen/contacts", "@screen/recordings"] },
  async ({ page, box }) => {
    const send = getScript(box).notifications.send
    await page.goto(`${box.url}/#/messaggi`)
    await expect(page.getByRole("heading", { name: "Nothing here yet" })).toBeVisible()
    await page.getByRole("button", { name: "Post from a script" }).first().click()
    const command = page.getByRole("dialog").getByText(/^curl http/)
    await expect(command).toContainText('"category":"messaging","deepLink":"/messaggi"')
    await page.keyboard.press("Escape")
    await expect(page.getByRole("dialog")).toBeHidden()

    await send({ body: { title: "To all", category: "messaging" } })
    await send({
      body: { title: "To some", category: "messaging", deepLink: "/messaggi?channel=two%20words" },
    })
    await send({ body: { title: "A mail", category: "email" } })
    const rows = page.getByRole("main").getByRole("listitem")
    await expect(rows.filter({ hasText: "To all" })).toBeVisible()
    await expect(rows.filter({ hasText: "A mail" })).toBeHidden()
    await rows.filter({ hasText: "To some" }).locator("[data-row]").click()
    await expect(page.getByRole("heading", { level: 1, name: "Channel two words" })).toBeVisible()
    await expect(rows.filter({ hasText: "To some" })).toBeVisible()
    await expect(rows.filter({ hasText: "To all" })).toBeHidden()
  },
)

test("the sidebar is resized by pointer and keyboard, collapses, and keeps its state", async ({ page }) => {
  const edge = page.getByRole("separator", { name: "Width of the sidebar" })
  const width = async () => Math.round((await sidebar(page).boundingBox())?.width ?? 0)
  await expect(edge).toHaveAttribute("aria-valuenow", "248")
  await edge.focus()
  await page.keyboard.press("ArrowRight")
  await expect.poll(width).toBe(264)
  await page.keyboard.press("End")
  await expect(edge).toHaveAttribute("aria-valuenow", "400")
  await edge.hover({ position: { x: 4, y: 300 } }) // ends when it is drawn there and nothing covers it
  await page.mouse.down()
  await page.mouse.move(300, 320, { steps: 4 })
  await page.mouse.up()
  await expect.poll(width).toBeLessThan(310)
  expect(await width()).toBeGreaterThan(290)
  const left = await width()
  await sidebar(page).getByRole("button", { name: "Folders" }).click()
  await expect(sidebar(page).getByRole("link", { name: "All folders" })).toBeHidden()

  await page.reload()
  await expect(sidebar(page).getByRole("button", { name: "Folders" })).toBeVisible()
  await expect(sidebar(page).getByRole("link", { name: "All folders" })).toBeHidden()
  await expect.poll(width).toBe(left)
  await edge.dblclick()
  await expect.poll(width).toBe(248)

  await page.keyboard.press("Control+b")
  await expect(sidebar(page)).toBeHidden()
  await page.reload()
  await expect(page.getByRole("button", { name: "Show the sidebar" })).toBeVisible()
  await expect(sidebar(page)).toBeHidden()
  await page.keyboard.press("Control+b")
  await expect(sidebar(page)).toBeVisible()
})

test("the palette finds chats, folders, files, assistants, settings and actions by keyboard", async ({
  page,
  box,
}) => {
  const api = getScript(box)
  await createFolder(page, "Quarterly figures")
  const { vectors } = await api.folders.list()
  const folderId = vectors.find(({ name }) => name === "Quarterly figures")?.id ?? ""
  const file = new Blob(["# Umbrella\n\nGreen umbrellas are on the shelf.\n"])
  await api.files.upload({ params: { id: folderId }, file, fileName: "umbrella-notes.md" })
  await api.assistants.create({ body: { name: "Umbrella expert" } })
  const asked = await fetch(`${box.url}/api/ai/chat`, {
    method: "POST",
    headers: { "x-api-key": box.key, "content-type": "application/json" },
    body: JSON.stringify({
      id: "asked-before",
      boxAddress: box.url,
      vector: [folderId],
      messages: [{ role: "user", content: "Which shelf has the pomegranates?" }],
    }),
  })
  await asked.text()
  await api.conversations.update({ params: { id: "asked-before" }, body: { title: "About fruit" } })

  const find = async (text: string, name: string | RegExp) => {
    await page.keyboard.press("Control+k")
    await palette(page).fill(text)
    await expect(option(page, name)).toBeVisible()
  }
  await find("quart", /^Quarterly figures/)
  await page.keyboard.press("Enter")
  await expect(page.getByRole("heading", { level: 1, name: "Quarterly figures" })).toBeVisible()

  await find("umbrella", /^umbrella-notes\.md/)
  await expect(option(page, /^Umbrella expert/)).toBeVisible()
  await option(page, /^umbrella-notes\.md/).click()
  await expect(page.getByRole("complementary", { name: "Document" })).toBeVisible()

  // By its title and by its messages.
  await find("fruit", "About fruit")
  await palette(page).fill("pomegranates")
  await expect(page.getByRole("group", { name: "In chats" })).toContainText("About fruit")
  await page.keyboard.press("Enter")
  await expect(page.getByRole("heading", { level: 1, name: "About fruit" })).toBeVisible()
  await expect(page).toHaveURL(/message=/)

  await find("api", /API keys/)
  await page.keyboard.press("Enter")
  await expect(page).toHaveURL(/#\/settings\/keys$/)

  await page.keyboard.press("Control+k")
  // The last used item is first before anything is typed.
  await expect(page.getByRole("option").first()).toContainText("API keys")
  await expect(page.getByRole("option", { selected: true })).toContainText("API keys")
  await page.keyboard.press("ArrowDown")
  await expect(page.getByRole("option", { selected: true })).not.toContainText("API keys")
  await palette(page).fill("dark th")
  await page.keyboard.press("Enter")
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark")
  await find("system theme", "Use system theme")
  await page.keyboard.press("Enter")
})

// Catches letters that are lost, or typed into the chat, while the palette is still loading.
test("the palette receives what is typed right after its shortcut, and returns the focus", async ({
  page,
}) => {
  const { promise: fetched, resolve: letThrough } = Promise.withResolvers<void>()
  await page.route(/CommandPalette-.*\.js/, async (route) => {
    await fetched
    await route.continue()
  })
  await page.reload()
  const message = page.getByLabel("Message", { exact: true })
  await expect(message).toBeFocused()
  await page.keyboard.press("Control+k")
  await page.keyboard.type("ap")
  letThrough()
  await expect(page.getByRole("listbox")).toBeVisible()
  await page.keyboard.type("i k")
  await expect(palette(page)).toHaveValue("api k")
  await expect(option(page, /API keys/)).toBeVisible()
  await page.keyboard.press("Escape")
  await expect(message).toBeFocused()
  await expect(message).toHaveValue("")
})

test("a question mark shows all shortcuts, except while typing", async ({ page }) => {
  const message = page.getByLabel("Message", { exact: true })
  await message.pressSequentially("Why?")
  await expect(message).toHaveValue("Why?")
  await expect(page.getByRole("dialog")).toBeHidden()
  await message.blur()
  await page.keyboard.press("?")
  const overview = page.getByRole("dialog", { name: "Keyboard shortcuts" })
  await expect(overview.getByText("Search everything")).toBeVisible()
  // A modal window keeps its keys.
  await page.keyboard.press("Control+k")
  await expect(palette(page)).toBeHidden()
  await page.keyboard.press("Escape")
  await expect(overview).toBeHidden()
  await page.keyboard.press("/")
  await expect(sidebar(page).getByRole("searchbox", { name: "Search chats" })).toBeFocused()
  await page.keyboard.press("Control+i")
  await expect(page.getByRole("dialog", { name: "Inbox" })).toBeVisible()
  await page.keyboard.press("Control+i")
  await expect(page.getByRole("dialog", { name: "Inbox" })).toBeHidden()
  // A menu keeps its keys too, because it would cover whatever opens.
  await sidebar(page).getByRole("button", { name: "Help" }).click()
  await expect(page.getByRole("menu")).toBeVisible()
  await page.keyboard.press("Control+k")
  await expect(palette(page)).toBeHidden()
})

// Catches a page that needs a reload, loses a draft, or shows old lists after a restart.
test("when the box stops and restarts, the page reports it, waits and resumes", async ({ page, box }) => {
  const message = page.getByLabel("Message", { exact: true })
  await message.fill("Half a thought")
  await page.waitForLoadState("networkidle") // requests that are still in flight aren't part of this test
  await box.kill()
  const banner = page.getByText(/^Casella isn’t answering\./)
  await expect(banner).toBeVisible()
  await box.restart()
  await getScript(box).folders.create({ body: { name: "Made meanwhile" } })
  // Pressing "Try now" is optional and must do no harm.
  await page
    .getByRole("button", { name: "Try now" })
    .click({ timeout: 2_000 })
    .catch(() => undefined)
  await expect(banner).toBeHidden()
  await expect(message).toHaveValue("Half a thought")
  await sidebar(page)
    .getByRole("link", { name: /^All .*folders$/ })
    .click()
  await expect(page.getByRole("main").getByText("Made meanwhile")).toBeVisible()
})

test("an expired session is reported on the sign-in page", async ({ page }) => {
  await page.context().clearCookies()
  await sidebar(page).getByRole("searchbox", { name: "Search chats" }).fill("what only the box knows")
  await expect(page.getByRole("heading", { name: "Sign in to Casella" })).toBeVisible()
  await expect(page.getByText(/^You’ve been signed out/)).toBeVisible()
})
