import type { Page } from "@playwright/test"
import { createClient } from "../src/shared/client/http-client.ts"
import { languageCodes } from "../src/shared/languages.ts"
import { routes } from "../src/renderer/lib/navigation/routes.ts"
import { expectAccessible } from "./expect-accessible.ts"
import { startBox, type RunningBox } from "./running-box.ts"
import { expect, signIn, test } from "./page-test.ts"

const nav = (page: Page) => page.getByRole("navigation", { name: "Settings" })
const field = (page: Page) => nav(page).getByRole("searchbox", { name: "Find a setting" })
const found = (page: Page) => nav(page).getByRole("list", { name: "Found settings" }).getByRole("link")
const title = (page: Page) => page.getByRole("heading", { level: 1 })
/** The setting that was marked last. */
const marked = (page: Page) => page.locator("[data-was-marked]")
const go = (page: Page, box: RunningBox, address: string) => page.goto(`${box.url}/#${address}`)

/** Runs in the page: notes which setting is marked, because a mark may have faded before a busy computer looks for it. */
const noteMarks = `new MutationObserver((records) => {
  for (const { target } of records) {
    if (target.dataset.marked === undefined) continue
    for (const before of document.querySelectorAll("[data-was-marked]")) delete before.dataset.wasMarked
    target.dataset.wasMarked = ""
  }
}).observe(document, { subtree: true, attributes: true, attributeFilter: ["data-marked"] })`
const forgetMarks = `for (const before of document.querySelectorAll("[data-was-marked]")) delete before.dataset.wasMarked`

test.beforeEach(({ page }) => page.addInitScript(noteMarks))

// Catches settings next to the chat sidebar, and a Back that leads elsewhere.
test("settings replace the sidebar, and Back and Esc return to the previous screen", async ({
  page,
  box,
}) => {
  await signIn(page, box)
  await go(page, box, "/messaggi?channel=two")
  await page.getByRole("link", { name: "Settings" }).click()
  await expect(nav(page)).toBeVisible()
  await expect(page.getByRole("link", { name: "New chat" })).toHaveCount(0)
  for (const group of ["General", "Models", "Tools", "People and keys", "Data and privacy", "Help"])
    await expect(nav(page).getByRole("heading", { name: group })).toBeVisible()
  await nav(page).getByRole("link", { name: "Storage" }).click()
  await expect(nav(page).getByRole("link", { name: "Storage" })).toHaveAttribute("aria-current", "page")
  await expect(title(page)).toHaveText("Storage")
  await page.reload()
  await nav(page).getByRole("link", { name: "Back", exact: true }).click()
  await expect(page).toHaveURL(/#\/messaggi\?channel=two$/)

  await page.keyboard.press("Control+,")
  await nav(page).getByRole("link", { name: "Trash" }).click()
  await page.keyboard.press("Escape")
  await expect(page).toHaveURL(/#\/messaggi\?channel=two$/)
  await expect(page.getByRole("link", { name: "New chat" })).toBeVisible()

  // A single key doesn't leave unsaved input.
  await page.keyboard.press("Control+,")
  await page.getByLabel("Name").fill("Ann")
  await page.keyboard.press("Escape")
  await expect(page.getByLabel("Name")).toHaveValue("Ann")
  // Leaving with a key or through another settings page asks first, and the input is still there.
  const question = page.getByRole("alertdialog", { name: "Leave without saving?" })
  const stay = question.getByRole("button", { name: "Cancel" })
  for (const leave of [
    () => page.keyboard.press("Escape"),
    () => nav(page).getByRole("link", { name: "Storage" }).click(),
  ]) {
    await leave()
    await stay.click()
    await expect(question).toHaveCount(0)
    await expect(page.getByLabel("Name")).toHaveValue("Ann")
  }
  await page.keyboard.press("Escape")
  await question.getByRole("button", { name: "Leave without saving" }).click()
  await expect(page).toHaveURL(/#\/messaggi\?channel=two$/)

  await page.setViewportSize({ width: 800, height: 600 })
  await go(page, box, routes.about)
  await expect(nav(page).getByRole("link", { name: "About" })).toBeInViewport()
})

// Catches a list of settings that takes the focus when it has loaded, from a field that the user already fills in.
test("settings that load late leave the focus in a field", async ({ page, box }) => {
  await signIn(page, box)
  const late = Promise.withResolvers<void>()
  await page.route(/SettingsSidebar-[^/]*\.js$/, async (route) => {
    await late.promise
    await route.continue()
  })
  await page.getByRole("link", { name: "Settings" }).click()
  await page.getByLabel("Name").fill("Ann")
  late.resolve()
  await expect(field(page)).toBeVisible()
  await expect(page.getByLabel("Name")).toBeFocused()
})

// Catches focus that stays in the sidebar after another screen was chosen, so that Tab visits all chats first.
test("the focus is in the screen that was chosen or returned to", async ({ page, box }) => {
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  const { vector } = await client.folders.create({ body: { name: "Gone back to" } })
  const inScreen = page.locator("main:focus, main :focus")
  await signIn(page, box)
  for (const leave of [
    () => page.keyboard.press("Escape"),
    () => nav(page).getByRole("link", { name: "Back", exact: true }).press("Enter"),
    () => page.goBack(),
  ]) {
    await go(page, box, routes.folder(vector.id))
    await expect(title(page)).toHaveText("Gone back to")
    await page.getByRole("link", { name: "Settings" }).press("Enter")
    await expect(field(page)).toBeFocused()
    await leave()
    await expect(title(page)).toHaveText("Gone back to")
    await expect(inScreen).toHaveCount(1)
  }

  await page.keyboard.press("Control+,")
  await field(page).fill("Trash")
  await page.keyboard.press("Enter")
  await expect(title(page)).toHaveText("Trash")
  await expect(inScreen).toHaveCount(1)
  await field(page).fill("Storage")
  await page.keyboard.press("ArrowDown")
  await page.keyboard.press("Enter")
  await expect(title(page)).toHaveText("Storage")
  await expect(inScreen).toHaveCount(1)
})

// Catches a search that knows only page names, or that leads to a page without showing the setting.
test("a setting is found by a common name with the keyboard alone, and marked", async ({ page, box }) => {
  await signIn(page, box)
  await page.keyboard.press("Control+,")
  await expect(field(page)).toBeFocused()
  for (const [words, name, section] of [
    ["dark", "Theme", "Appearance and language"],
    ["proxy", "Download source", "Get more models"],
    ["mute", "Do not disturb", "Notifications"],
    ["GPU", "Chat model", "Models in use"],
  ] as const) {
    await field(page).fill(words)
    const setting = found(page).filter({ hasText: name }).first()
    await expect(setting).toBeVisible()
    while ((await setting.and(page.locator(":focus")).count()) === 0) await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await expect(title(page)).toHaveText(section)
    await expect(marked(page)).toContainText(name)
    await expect(marked(page).locator(":focus"), words).toHaveCount(1)
    await expect(page).not.toHaveURL(/at=/)
    if ((await page.locator("main :is(input, select):focus").count()) > 0) await page.keyboard.press("Escape")
    await page.keyboard.press("/")
    await expect(field(page)).toBeFocused()
  }
  await field(page).fill("licences")
  await page.keyboard.press("Enter")
  await expect(marked(page)).toContainText("Open-source licences")
  await field(page).fill("xyzzy")
  await expect(nav(page).getByRole("status")).toHaveText("No settings match “xyzzy”")
  await page.keyboard.press("Escape")
  await expect(nav(page).getByRole("link", { name: "Storage" })).toBeVisible()
})

// Catches a search entry whose name differs from the one on its page, in any language.
for (const language of languageCodes) {
  test(`every setting that can be found is there to be marked (${language})`, async ({ page, box }) => {
    test.slow()
    await page.emulateMedia({ reducedMotion: "reduce" })
    await signIn(page, box)
    await page.evaluate(`localStorage.setItem("language", ${JSON.stringify(language)})`)
    await page.reload()
    await go(page, box, routes.settings)
    const search = page.getByRole("searchbox").first()
    await expect(search).toBeVisible()
    const seen = new Set<string>()
    for (const letters of "aeiou") {
      await search.fill(letters)
      for (const link of await page.locator("[data-found]").all()) {
        const address = (await link.getAttribute("href")) ?? ""
        if (address.includes("?at=")) seen.add(address.slice(1))
      }
    }
    expect(seen.size).toBeGreaterThan(25)
    for (const address of seen) {
      await page.evaluate(forgetMarks)
      await go(page, box, address)
      await expect(page, address).not.toHaveURL(/at=/) // marking the setting removes the parameter
      await expect(marked(page), address).toBeVisible()
    }
  })
}

test("on a phone the drawer shows the settings pages, and closes when one is chosen", async ({
  page,
  box,
}) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await signIn(page, box)
  await page.getByRole("button", { name: "Show the sidebar" }).click()
  await page.getByRole("link", { name: "Settings" }).click()
  await expect(nav(page).getByRole("link", { name: "Profile" })).toBeVisible()
  await expectAccessible(page, "drawer")
  await nav(page).getByRole("link", { name: "Get more models" }).click()
  await expect(nav(page)).toBeHidden()
  await expect(title(page)).toHaveText("Get more models")
  await page.getByRole("button", { name: "Show the sidebar" }).click()
  await field(page).fill("backup")
  await found(page).first().click()
  await expect(nav(page)).toBeHidden()
  await expect(title(page)).toHaveText("Backup")
  await page.getByRole("button", { name: "Show the sidebar" }).click()
  await nav(page).getByRole("link", { name: "Back", exact: true }).click()
  await expect(page.getByRole("heading", { name: "What would you like to know?" })).toBeVisible()

  // Also without the drawer, which hides the pages' own Back link.
  await go(page, box, "/dc")
  await expect(title(page)).toHaveText("Folders")
  await go(page, box, routes.trash)
  await page.getByRole("main").getByRole("link", { name: "Back", exact: true }).click()
  await expect(page).toHaveURL(/#\/dc$/)
})

// Catches one page with everything about models, where users have to search.
test("models have four pages, each with only its own content", async ({ page }) => {
  await using box = await startBox()
  await signIn(page, box)
  const headings = () => page.getByRole("main").getByRole("heading", { level: 2 })
  for (const [name, first, amount] of [
    ["Models in use", "Chat model", 4],
    ["Models on this computer", "Your models", 3],
    ["Get more models", "Get a model", 5],
    ["Model servers", null, 0], // has a single group, named by the page title
  ] as const) {
    await go(page, box, routes.models)
    await nav(page).getByRole("link", { name }).click()
    await expect(title(page)).toHaveText(name)
    if (first !== null) await expect(headings().first()).toHaveText(first)
    expect(await headings().count(), name).toBeLessThanOrEqual(amount)
  }
  await nav(page).getByRole("link", { name: "Models on this computer" }).click()
  await expect(page.getByText("No models on this computer yet.")).toBeVisible()
  await page.getByRole("main").getByRole("link", { name: "Get a model" }).click()
  await expect(title(page)).toHaveText("Get more models")
})

for (const colorScheme of ["light", "dark"] as const) {
  test(`the settings' sidebar and a marked setting are accessible in ${colorScheme}`, async ({
    page,
    box,
  }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
    await signIn(page, box)
    await go(page, box, `${routes.appearance}?at=theme`)
    await expect(marked(page)).toBeVisible()
    await field(page).fill("model")
    await expect(found(page)).not.toHaveCount(0)
    await expectAccessible(page, "search")
  })
}
