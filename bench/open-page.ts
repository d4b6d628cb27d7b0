import { chromium, type Page } from "playwright-core"
import type { RunningBox } from "../e2e/running-box.ts"
// @ts-expect-error -- plain JavaScript without types: it runs before TypeScript is installed
import { findBrowser } from "../scripts/setup.mjs"

export interface OpenPage extends AsyncDisposable {
  page: Page
}

/** The page of a box in a browser of its own, signed in as somebody who has been here before. */
export async function openPage(box: RunningBox): Promise<OpenPage> {
  const executablePath = (findBrowser as () => string | undefined)()
  const browser = await chromium.launch({
    ...(executablePath === undefined ? {} : { executablePath }),
    args: ["--no-sandbox"],
  })
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  await page.addInitScript('localStorage.setItem("first-run", "done")')
  await page.goto(await box.signInLink())
  await page.getByLabel("Message", { exact: true }).waitFor()
  return { page, [Symbol.asyncDispose]: () => browser.close() }
}
