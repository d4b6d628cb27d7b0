import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test as base, type Page } from "@playwright/test"
import { ensureTestModel } from "../../src/box/engines/llama/testing/test-models.ts"
import { createClient } from "../../src/shared/client/http-client.ts"
import { expectAccessible } from "../expect-accessible.ts"
import { createKey, electronBinary, startDesktop, type DesktopApp } from "./desktop-app.ts"

const test = base.extend<{ faults: string[] }, { desktop: DesktopApp }>({
  desktop: [
    async ({ browser }, use) => {
      await using desktop = await startDesktop(browser, watchFaults, "--model", ensureTestModel())
      await use(desktop)
    },
    { scope: "worker", timeout: 120_000 },
  ],
  faults: [
    // Playwright requires a destructuring pattern even if no fixture is used.
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      faults.length = 0
      await use(faults)
      expect(faults).toEqual([])
    },
    { auto: true },
  ],
})

const faults: string[] = []
function watchFaults(page: Page): void {
  page.on("pageerror", (error) => faults.push(error.message))
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      faults.push(message.text())
  })
}

test.beforeAll(() => {
  const where = electronBinary ? `Electron (${electronBinary})` : "the stand-in: Electron's binary isn't here"
  test.info().annotations.push({ type: "desktop", description: where })
  process.stdout.write(`The desktop program runs in ${where}.\n`)
})

const heading = (page: Page) => page.getByRole("heading", { name: "What would you like to know?" })
const message = (page: Page) => page.getByLabel("Message", { exact: true })

/** Clicks an item of the tray menu. */
const clickTray = (desktop: DesktopApp, label: string) =>
  desktop.evaluate((_, label) => {
    const item = desktopRecord.trayMenu?.items.find((item) => item.label === label)
    if (!item) throw new Error(`The tray has no "${label}".`)
    item.click()
  }, label)

const openLink = (desktop: DesktopApp, link: string) =>
  desktop.evaluate(({ app }, link) => {
    app.emit("open-url", { preventDefault() {} }, link)
  }, link)

test.beforeEach(async ({ desktop }) => {
  const page = await desktop.page("main")
  await page.evaluate('localStorage.setItem("first-run", "done")')
})

test("the app starts and shows its page, signed in", async ({ desktop }) => {
  const page = await desktop.page("main")
  await page.reload()
  await expect(heading(page)).toBeVisible()
  expect(await page.evaluate("Object.keys(window.casella).includes('pickDirectory')")).toBe(true)
  expect(page.url()).not.toContain("token")
})

test("a second start brings the window to the front, and its link opens", async ({ desktop }) => {
  const page = await desktop.page("main")
  await desktop.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.hide(), null)
  await desktop.launchAgain("casella://settings/models")
  await expect
    .poll(() => desktop.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible(), null))
    .toBe(true)
  await expect(page).toHaveURL(/#\/settings\/models$/)
})

test("the tray starts a new chat and toggles do not disturb", async ({ desktop }) => {
  const page = await desktop.page("main")
  await page.goto(`${new URL(page.url()).origin}/#/settings`)
  await clickTray(desktop, "New chat")
  await expect(heading(page)).toBeVisible()

  const isQuiet = () =>
    desktop.evaluate(
      () => desktopRecord.trayMenu?.items.find((item) => item.label === "Do not disturb")?.checked,
      null,
    )
  await clickTray(desktop, "Do not disturb")
  await expect.poll(() => page.evaluate(() => localStorage.getItem("do-not-disturb"))).toBe("on")
  await expect.poll(isQuiet).toBe(true)
  await clickTray(desktop, "Do not disturb")
  await expect.poll(() => page.evaluate(() => localStorage.getItem("do-not-disturb"))).toBeNull()
})

test(
  "the global shortcut opens quick ask, the answer opens in the main window, and Esc hides it",
  { tag: "@screen/quickAsk" },
  async ({ desktop }) => {
    const main = await desktop.page("main")
    const press = () => desktop.evaluate(() => desktopRecord.shortcuts.values().next().value?.(), null)
    await press()
    const quick = await desktop.page("quick-ask")
    const question = quick.getByLabel("Question")
    await expect(question).toBeFocused()
    await question.fill("Greet me.")
    await quick.keyboard.press("Enter")
    await expect(quick.getByRole("article", { name: "Answer" })).toContainText(
      "Hello from the scripted model.",
    )

    await quick.getByRole("button", { name: "Open in Casella" }).click()
    await expect(main.getByLabel("Answer", { exact: true })).toContainText("Hello from the scripted model.")
    const visible = () =>
      desktop.evaluate(
        ({ BrowserWindow }) => BrowserWindow.getAllWindows().map((window) => window.isVisible()),
        null,
      )
    await expect.poll(visible).toEqual([true, false])

    await press()
    await expect.poll(visible).toEqual([true, true])
    await quick.keyboard.press("Escape")
    await expect.poll(visible).toEqual([true, false])
  },
)

// Catches a link that sends text from a web page.
test("a link inserts its text, keeps the draft, and sends nothing", async ({ desktop }) => {
  const page = await desktop.page("main")
  await clickTray(desktop, "New chat")
  await expect(heading(page)).toBeVisible()
  await message(page).fill("My own words")
  await openLink(desktop, "casella://new?text=From%20a%20link")
  await expect(message(page)).toHaveValue("My own words\n\nFrom a link")
  const { url, key } = await createKey(desktop.dataDir)
  const script = createClient({ baseUrl: url, headers: { "x-api-key": key } })
  const before = (await script.conversations.list()).pagination.total
  await openLink(desktop, "casella://new?text=x&send=1")
  await openLink(desktop, "casella://signin?token=x")
  await openLink(desktop, "casella://settings/keys")
  await expect(page).toHaveURL(/#\/settings\/keys$/)
  await clickTray(desktop, "New chat")
  await expect(message(page)).toHaveValue("My own words\n\nFrom a link")
  await message(page).fill("")
  expect((await script.conversations.list()).pagination.total).toBe(before)
})

test("the system's directory chooser creates a folder", async ({ desktop }) => {
  const page = await desktop.page("main")
  const directory = join(mkdtempSync(join(tmpdir(), "casella-chosen-")), "Contracts")
  mkdirSync(directory)
  writeFileSync(join(directory, "leave.md"), "Thirty days of leave a year.")
  await page.goto(`${new URL(page.url()).origin}/#/dc?new`)
  const dialog = page.getByRole("dialog")
  await dialog.getByRole("button", { name: "Choose" }).click()
  await expect(dialog.getByLabel("Name", { exact: true })).toHaveValue("") // cancelled
  await desktop.evaluate((_, directory) => {
    desktopRecord.directories.push(directory)
  }, directory)
  await dialog.getByRole("button", { name: "Choose" }).click()
  await expect(dialog.getByLabel("Name", { exact: true })).toHaveValue("Contracts")
  await dialog.getByRole("button", { name: "Create folder" }).click()
  await expect(page.getByRole("heading", { name: "Contracts", level: 1 })).toBeVisible()
  await expect(page.getByText("leave.md")).toBeVisible()
})

test("clicking a popup opens the notification's target, and the badge shows the count", async ({
  desktop,
}) => {
  const page = await desktop.page("main")
  await clickTray(desktop, "New chat")
  const { url, key } = await createKey(desktop.dataDir)
  const script = createClient({ baseUrl: url, headers: { "x-api-key": key } })
  await page.evaluate(`
    Object.defineProperty(document, "hidden", { configurable: true, get: () => true })
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "hidden" })
    document.hasFocus = () => false
  `)
  await script.notifications.send({ body: { title: "Import finished", deepLink: "/settings/keys" } })
  const shown = () => desktop.evaluate(() => desktopRecord.popups.map(({ title }) => title), null)
  await expect.poll(shown).toContain("Import finished")
  const { count } = await script.notifications.unreadCount()
  expect(count).toBeGreaterThan(0)
  await expect.poll(() => desktop.evaluate(() => desktopRecord.badge, null)).toBe(count)
  await desktop.evaluate(() => {
    desktopRecord.popups.find(({ title }) => title === "Import finished")?.popup.emit("click")
  }, null)
  await expect(page).toHaveURL(/#\/settings\/keys$/)
  await page.reload()
})

// Catches buttons that send a different answer from their label, and a popup that stays after the question was answered elsewhere.
test("a popup's button answers a question, and the popup closes when someone else answers", async ({
  desktop,
}) => {
  const page = await desktop.page("main")
  const { url, key } = await createKey(desktop.dataDir)
  const script = createClient({ baseUrl: url, headers: { "x-api-key": key } })
  await page.evaluate(`document.hasFocus = () => false`)
  const ask = async (title: string) =>
    (await script.questions.ask({ body: { title, choices: ["now", "later"], expiresInSeconds: 600 } }))
      .question.id
  const getAnswer = async (id: string) =>
    (await script.questions.read({ params: { id }, query: { wait: 30 } })).question.answer
  const buttons = (title: string) =>
    desktop.evaluate(
      (_, title) =>
        desktopRecord.popups.find((one) => one.title === title)?.popup.actions.map(({ text }) => text),
      title,
    )

  const byButton = await ask("Restart?")
  await expect.poll(() => buttons("Restart?")).toEqual(["now", "later"])
  await desktop.evaluate(() => {
    const { popup } = desktopRecord.popups.find(({ title }) => title === "Restart?") ?? {}
    popup?.emit("action", { actionIndex: 1 })
  }, null)
  expect(await getAnswer(byButton)).toBe("later")

  const elsewhere = await ask("Update?")
  await expect.poll(() => buttons("Update?")).toEqual(["now", "later"])
  const closed = desktop.evaluate(
    () =>
      new Promise<string>((resolve) => {
        const { popup } = desktopRecord.popups.find(({ title }) => title === "Update?") ?? {}
        popup?.once("close", () => resolve("closed"))
      }),
    null,
  )
  await page.evaluate(`document.hasFocus = () => true`)
  await page.getByRole("button", { name: /^Inbox/ }).click()
  await page.getByRole("group", { name: "Update?" }).getByRole("button", { name: "now" }).click()
  expect(await getAnswer(elsewhere)).toBe("now")
  expect(await closed).toBe("closed")
  await page.reload()
})

test("a crashed page is reopened at the same place", async ({ desktop }) => {
  await desktop.page("main")
  await openLink(desktop, "casella://settings/keys")
  await expect(await desktop.page("main")).toHaveURL(/#\/settings\/keys$/)
  const reason = await desktop.evaluate(({ BrowserWindow }) => {
    const contents = BrowserWindow.getAllWindows()[0]?.webContents
    return new Promise((resolve) => {
      contents?.once("render-process-gone", (_event, { reason }) => resolve(reason))
      contents?.forcefullyCrashRenderer()
    })
  }, null)
  expect(["crashed", "killed"]).toContain(reason)
  await expect(async () => {
    const page = await desktop.page("main")
    await expect(page.getByRole("heading", { level: 1 }).first()).toBeVisible({
      timeout: 2_000,
    })
  }).toPass({ timeout: 30_000 })
})

test("a signed-out user signs in again with one click", async ({ desktop }) => {
  const page = await desktop.page("main")
  await page.context().clearCookies()
  await page.reload()
  await page.getByRole("button", { name: "Sign in" }).click()
  await expect(heading(page)).toBeVisible()
})

test("the quick ask shortcut is changed in the settings", { tag: "@screen/desktop" }, async ({ desktop }) => {
  const page = await desktop.page("main")
  await openLink(desktop, "casella://settings/desktop")
  await page.getByRole("button", { name: /^Quick ask shortcut/ }).click()
  await page.keyboard.press("k") // not allowed as a shortcut, because no other program could use the key
  await page.keyboard.press("Control+Alt+k")
  await expect(
    page.getByRole("button", { name: "Quick ask shortcut: Ctrl Alt K. Press to change" }),
  ).toBeVisible()
  expect(await desktop.evaluate(() => [...desktopRecord.shortcuts.keys()].at(-1), null)).toBe("Ctrl+Alt+K")

  await page.getByLabel("Keep running when the window is closed").click()
  await expect
    .poll(() =>
      desktop.evaluate(
        () => desktopRecord.trayMenu?.items.find((item) => item.label.startsWith("Keep running"))?.checked,
        null,
      ),
    )
    .toBe(true)
  await expectAccessible(page)
})

// Must be last, because the program has ended afterwards.
test("quitting stops the box and its children", async ({ desktop }) => {
  await desktop.page("main")
  const startedChildren = () => desktop.evaluate(() => desktopRecord.children, null)
  await expect.poll(async () => (await startedChildren()).length).toBeGreaterThan(0)
  const children = await startedChildren()
  const { url } = await createKey(desktop.dataDir)
  await desktop.evaluate(({ app }) => {
    setTimeout(() => app.quit())
  }, null)
  expect(await desktop.exited).toBe(0)
  await expect(fetch(`${url}/api/health`)).rejects.toThrow()
  await expect.poll(() => children.filter(isAlive)).toEqual([])
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
