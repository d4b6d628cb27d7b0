import { expect, test, chromium, type BrowserContext, type Page } from "@playwright/test"
import type { RunningBox } from "../running-box.ts"

/** A full Chromium with a profile, because it doesn't prefetch without one. */
export async function openBrowser(...args: string[]): Promise<BrowserContext & AsyncDisposable> {
  const executablePath = process.env["CHROMIUM_PATH"] ?? ""
  return chromium.launchPersistentContext(test.info().outputPath("profile"), {
    executablePath,
    viewport: { width: 1280, height: 800 },
    args: ["--no-sandbox", "--disable-gpu", ...args],
  })
}

/** Views a whole page as a user might: moves the pointer and the focus to each link, and scrolls to the end. */
export async function viewAll(page: Page): Promise<void> {
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

/** Links on the page that lead to another host. */
export const destinations = `[...document.querySelectorAll("a[href], area[href], link[href], base, form[action]")]
  .map((link) => link.href ?? link.action).filter((address) => new URL(address, location.href).host !== location.host)`

export async function signIn(page: Page, box: RunningBox): Promise<void> {
  await page.addInitScript(`if (origin !== "null") localStorage.setItem("first-run", "done")`)
  await page.goto(await box.signInLink())
  await expect(page.getByRole("heading", { name: "What would you like to know?" })).toBeVisible()
}
