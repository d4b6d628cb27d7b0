import { expect, test, chromium, type BrowserContext, type Page } from "@playwright/test"
import type { RunningBox } from "../running-box.ts"

/** A whole Chromium with a profile: without one it doesn't look ahead. */
export async function openBrowser(...args: string[]): Promise<BrowserContext & AsyncDisposable> {
  const executablePath = process.env["CHROMIUM_PATH"] ?? ""
  return chromium.launchPersistentContext(test.info().outputPath("profile"), {
    executablePath,
    viewport: { width: 1280, height: 800 },
    args: ["--no-sandbox", "--disable-gpu", ...args],
  })
}

/** Looks at all of a page as a reader may: the pointer and the focus on each link, and down to its end. */
export async function lookAtAll(page: Page): Promise<void> {
  const count = await page.evaluate<number>(
    `(window.shown = [...document.querySelectorAll("a, [role=link], main img, main figure, main code")]).length`,
  )
  for (let index = 0; index < count; index++) {
    const { x, y } = await page.evaluate<{ x: number; y: number }>(`(() => {
      const element = shown[${index}]
      element.scrollIntoView({ block: "center" })
      element.focus()
      const { x, y, width, height } = element.getBoundingClientRect()
      return { x: x + Math.min(width / 2, 20), y: y + height / 2 }
    })()`)
    await page.mouse.move(x, y)
  }
}

/** Links of what is shown that lead elsewhere before anybody follows them. */
export const destinations = `[...document.querySelectorAll("a[href], area[href], link[href], base, form[action]")]
  .map((link) => link.href ?? link.action).filter((address) => new URL(address, location.href).host !== location.host)`

export async function signIn(page: Page, box: RunningBox): Promise<void> {
  await page.addInitScript(`if (origin !== "null") localStorage.setItem("first-run", "done")`)
  await page.goto(await box.signInLink())
  await expect(page.getByRole("heading", { name: "What would you like to know?" })).toBeVisible()
}
