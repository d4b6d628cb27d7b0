import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test as base, type Locator, type Page, type TestInfo } from "@playwright/test"
import { startStreamingModel, type StreamingModel } from "../bench/streaming-model.ts"
import { languageCodes } from "../src/shared/languages.ts"
import { say } from "./page-strings.ts"
import { startBox, type RunningBox } from "./running-box.ts"

interface PageFixtures {
  /** Command-line flags of the box. */
  boxFlags: string[]
  box: RunningBox
  faultless: undefined
}

/** Returns the box for a file's journeys, and starts another one for the next file or other flags. */
type BoxOfFile = (file: string, flags: string[]) => Promise<RunningBox>

const unreached = /^Failed to load resource|^WebSocket connection to \S+ failed: .*ERR_CONNECTION_REFUSED$/

/**
 * The journeys of a file share a box. Any error in the browser's console fails a journey, for example a violation of the page's content
 * policy.
 */
export const test = base.extend<PageFixtures, { boxOfFile: BoxOfFile }>({
  boxOfFile: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright wants to see a pattern
    async ({}, use) => {
      let current: { key: string; box: RunningBox } | undefined
      await use(async (...fileAndFlags) => {
        const key = JSON.stringify(fileAndFlags)
        if (current?.key === key) return current.box
        await current?.box[Symbol.asyncDispose]()
        current = undefined
        current = { key, box: await startBox(...fileAndFlags[1]) }
        return current.box
      })
      await current?.box[Symbol.asyncDispose]()
    },
    { scope: "worker" },
  ],
  boxFlags: [[], { option: true }],
  box: async ({ boxOfFile, boxFlags }, use, { file }) => use(await boxOfFile(file, boxFlags)),
  faultless: [
    async ({ page }, use) => {
      const faults: string[] = []
      page.on("pageerror", (error) => faults.push(error.message))
      page.on("console", (message) => {
        // Failed requests are also logged as errors, but some tests cause them on purpose.
        const ours = message.type() === "error" && !unreached.test(message.text())
        if (ours) faults.push(message.text())
      })
      await use(undefined)
      expect(faults).toEqual([])
    },
    { auto: true },
  ],
})

export { expect } from "@playwright/test"

/** For a file whose box uses a model that sends this text at a steady rate. */
export const testWithStreamingModel = (...args: Parameters<typeof startStreamingModel>) =>
  test.extend<object, { model: StreamingModel }>({
    model: [
      // oxlint-disable-next-line no-empty-pattern -- Playwright wants to see a pattern
      async ({}, use) => {
        await using model = await startStreamingModel(...args)
        await use(model)
      },
      { scope: "worker" },
    ],
    boxFlags: async ({ model }, use) => use(["--model", model.url]),
  })

const awaited = new WeakSet<Page>()

/**
 * Makes `page.goto` wait until the app has handled a change of the part after the #. It would end before, and the next step could act on a
 * control of the previous screen that is about to be replaced, for example the message field.
 */
async function awaitHashChanges(page: Page): Promise<void> {
  if (awaited.has(page)) return
  awaited.add(page)
  // Runs before the app's own listener, but in the same task.
  await page.addInitScript(
    `addEventListener("hashchange", () => { window.hashChanges = (window.hashChanges ?? 0) + 1 })`,
  )
  const countChanges = (): Promise<number> => page.evaluate("window.hashChanges ?? 0")
  const getDocument = (): string => page.url().split("#", 1).join()
  const goto = page.goto.bind(page)
  page.goto = async (url, options) => {
    const [before, document, count] = [page.url(), getDocument(), await countChanges()]
    const response = await goto(url, options)
    if (response === null && getDocument() === document && page.url() !== before)
      await expect.poll(countChanges).toBeGreaterThan(count)
    return response
  }
}

/**
 * Opens the page with a one-time link as a returning user, as `npm start` does. Ends when the page is connected, because earlier
 * notifications have no toast.
 */
export async function signIn(page: Page, box: RunningBox): Promise<void> {
  await awaitHashChanges(page)
  // Widgets run without storage.
  await page.addInitScript(`if (origin !== "null") localStorage.setItem("first-run", "done")`)
  await page.goto("about:blank") // the script runs in new documents, and the link may differ only after the #
  const connected = page.waitForEvent("websocket").then((socket) => socket.waitForEvent("framereceived"))
  await page.goto(await box.signInLink())
  await expect(page.getByRole("heading", { name: "What would you like to know?" })).toBeVisible()
  await connected
}

/** The heading of a screen that doesn't exist, in any language. */
const notFound = new RegExp(`^(${languageCodes.map((code) => say(code, "frame:notFound.name")).join("|")})$`)

/** Opens a screen as a link does, without reloading the page. Ends when the screen is shown and all its requests have been answered. */
export async function goToScreen(page: Page, { url }: { url: string }, route: string): Promise<void> {
  // Passes through a screen without requests, so that the heading found belongs to the new screen.
  await page.goto(`${url}/#/nowhere-in-between`)
  const between = page.locator("main h1", { hasText: notFound })
  await between.evaluate((heading: { dataset: Record<string, string> }) => (heading.dataset["between"] = ""))
  await expect(page.locator("[data-between]")).toHaveCount(1)
  let [coming, changedAt] = [0, performance.now()]
  const count = (by: number) => () => ([coming, changedAt] = [coming + by, performance.now()])
  const [begin, end] = [count(1), count(-1)]
  page.on("request", begin).on("requestfinished", end).on("requestfailed", end)
  await page.goto(`${url}/#${route}`)
  if (route !== "/nowhere") await expect(page.locator("[data-between]")).toHaveCount(0)
  await page.locator("main h1").first().waitFor({ state: "attached" })
  await expect
    .poll(() => coming <= 0 && performance.now() - changedAt > quietMs, { intervals: [quietMs / 2] })
    .toBe(true)
  page.off("request", begin).off("requestfinished", end).off("requestfailed", end)
}
/** Time in which no request may start or end; requests that follow an answer start sooner. */
const quietMs = 100

/** Creates a folder in the page and ends on its screen. */
export async function createFolder(page: Page, name: string): Promise<void> {
  await page.getByRole("link", { name: "New folder" }).first().click()
  await page.getByLabel("Name", { exact: true }).fill(name)
  await page.getByRole("button", { name: "Create folder" }).click()
  await expect(page.getByRole("heading", { name, level: 1 })).toBeVisible()
}

/** Drops local files or directories on the page, through the browser's native drag and drop. */
export async function drop(page: Page, ...paths: string[]): Promise<void> {
  await dropWhenInvited(page, page.getByText(/^Drop (to add to|files to add them to) /), paths)
}

/** Drops files or directories on the page, exactly once, when it has shown its invitation to do so. */
export async function dropWhenInvited(page: Page, invitation: Locator, paths: string[]): Promise<void> {
  const browser = await page.context().newCDPSession(page)
  const { width, height } = page.viewportSize() ?? { width: 1280, height: 800 }
  const at = { x: width * 0.6, y: height * 0.4, data: { items: [], files: paths, dragOperationsMask: 1 } }
  const send = (type: "dragEnter" | "dragOver" | "drop") =>
    browser.send("Input.dispatchDragEvent", { type, ...at })
  await page.evaluate(
    `globalThis.dropped = false; addEventListener("drop", () => (globalThis.dropped = true), { capture: true, once: true })`,
  )
  const isDropped = () => page.evaluate<boolean>("globalThis.dropped")
  // The browser cancels a drop that arrives before the page has responded to the drag. The files mustn't be dropped twice.
  while (!(await isDropped())) {
    await expect(async () => {
      await send("dragEnter")
      await send("dragOver")
      await expect(invitation).toBeVisible({ timeout: 2_000 })
    }).toPass()
    await send("dragOver")
    await send("drop")
    await expect(invitation).toBeHidden()
  }
  await browser.detach()
}

/**
 * Moves the pointer over an element until something is shown, because its event handler is loaded late and the page may still be moving.
 */
export async function moveUntilShown(page: Page, over: Locator, shown: Locator): Promise<void> {
  await expect(async () => {
    await page.mouse.move(0, 0)
    await over.hover()
    await expect(shown).toBeVisible({ timeout: 2_000 })
  }).toPass()
}

const holdEachToast = `{
  const hold = () => {
    for (const toast of document.querySelectorAll("[data-toasts] > *"))
      toast.dispatchEvent(new PointerEvent("pointermove", { bubbles: true }))
  }
  new MutationObserver(hold).observe(document, { childList: true, subtree: true })
}`

/**
 * Keeps toasts on the page until they are used or replaced, because a busy computer may look only after one has gone. Moves a pointer over
 * each as soon as it shows; a real hover may be too late.
 */
export async function holdToasts(page: Page): Promise<void> {
  await page.addInitScript(holdEachToast)
  await page.evaluate(holdEachToast)
}

/** Holds a part of the page's code back. `release` ends when the code has loaded and the page has been drawn twice. */
export async function holdCode(page: Page, file: RegExp): Promise<{ release(): Promise<void> }> {
  const released = Promise.withResolvers<void>()
  const requested = Promise.withResolvers<string>()
  await page.route(file, async (route) => {
    requested.resolve(route.request().url())
    await released.promise
    await route.continue()
  })
  return {
    async release() {
      const url = await requested.promise
      released.resolve()
      await page.evaluate(
        `import(${JSON.stringify(url)}).then(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))`,
      )
    },
  }
}

/** Writes a file into the test's output directory; returns its path. */
export function writeText(info: TestInfo, name: string, text: string): string {
  const path = join(info.outputPath(), name)
  writeFileSync(path, text)
  return path
}
