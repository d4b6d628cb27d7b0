import { chromium, type Page } from "playwright-core"
import type { RunningBox } from "../e2e/running-box.ts"
// @ts-expect-error -- plain JavaScript without types: it runs before TypeScript is installed
import { findBrowser } from "../scripts/setup.mjs"

export interface OpenPage extends AsyncDisposable {
  page: Page
}

/** An empty page in a new browser. */
export async function openBrowser(): Promise<OpenPage> {
  const executablePath = (findBrowser as () => string | undefined)()
  const browser = await chromium.launch({
    ...(executablePath === undefined ? {} : { executablePath }),
    args: ["--no-sandbox"],
  })
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  return { page, [Symbol.asyncDispose]: () => browser.close() }
}

/** A box's page in a new browser, signed in as a returning user. */
export async function openPage(box: RunningBox): Promise<OpenPage> {
  const opened = await openBrowser()
  const { page } = opened
  await page.addInitScript('localStorage.setItem("first-run", "done")')
  await page.goto(await box.signInLink())
  await page.getByLabel("Message", { exact: true }).waitFor()
  return opened
}

/**
 * Opens a screen. Resolves to the milliseconds until the selector is drawn. It is measured in the page, because Playwright soon checks only
 * every half second.
 */
export const goTo = (page: Page, route: string, selector: string): Promise<number> =>
  page.evaluate<number>(`new Promise((resolve) => {
    const selector = ${JSON.stringify(selector)}
    const begun = performance.now()
    const look = () => {
      if (!document.querySelector(selector)) return
      observer.disconnect()
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begun)))
    }
    const observer = new MutationObserver(look)
    observer.observe(document, { childList: true, subtree: true, attributes: true })
    window.location.hash = ${JSON.stringify(route)}
    look()
  })`)
