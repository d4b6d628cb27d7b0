import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { areas } from "../src/renderer/lib/navigation/areas.ts"
import { routes } from "../src/renderer/lib/navigation/routes.ts"
import { expectAccessible } from "./expect-accessible.ts"
import { createFolder, drop, expect, goToScreen, signIn, test } from "./page-test.ts"

/** Every screen with an address, except those that the journeys in this file and of support visit. */
const screens = [
  ...Object.values(areas).map(({ route }) => route.slice(1)),
  "messaggi?channel=general",
  "assistants",
  "dc",
  ...Object.values(routes).flatMap((route) =>
    typeof route === "string" && route.startsWith("/settings") && route !== routes.newReport
      ? [route.slice(1)]
      : [],
  ),
  "nowhere",
]

for (const colorScheme of ["light", "dark"] as const) {
  test(`no screen has a serious fault in ${colorScheme}`, async ({ page, box }, info) => {
    test.slow()
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
    const check = (screen: string) => expectAccessible(page, screen)

    await page.goto(box.url)
    await expect(page.getByRole("heading", { name: "Sign in to Casella" })).toBeVisible()
    await check("signed out")

    const file = join(info.outputPath(), "tea.md")
    writeFileSync(file, "# Tea\n\nGreen tea is steeped at seventy degrees for two minutes.\n")
    await signIn(page, box)
    await check("new chat")
    await createFolder(page, `Kitchen ${colorScheme}`)
    await check("empty folder")
    await drop(page, file)
    await expect(page.getByRole("row").filter({ hasText: "tea.md" }).getByText("Indexed")).toBeVisible()
    await check("folder")
    await page.getByLabel("Folder actions").click()
    await page.getByRole("menuitem", { name: "Settings" }).click()
    await expect(page.getByRole("dialog")).toBeVisible()
    await check("folder settings")
    await page.keyboard.press("Escape")

    await page.getByRole("link", { name: "Ask", exact: true }).click()
    await page.getByLabel("Message", { exact: true }).fill("How is green tea steeped?")
    await page.keyboard.press("Enter")
    await page
      .getByLabel("Answer", { exact: true })
      .getByRole("button", { name: /^Source 1/ })
      .first()
      .click()
    await expect(page.locator("mark").first()).toBeVisible()
    await check("citation")

    for (const screen of screens) {
      await goToScreen(page, box, `/${screen}`)
      await expect(page.getByRole("main").getByRole("heading", { level: 1 }).first(), screen).toBeVisible()
      await expect(page.getByRole("status").filter({ hasText: "Loading" }), screen).toBeHidden()
      await check(screen)
    }
    const group = page.getByRole("navigation", { name: "Casella" }).getByRole("button", { name: "Folders" })
    await group.click()
    await expect(group).toHaveAttribute("aria-expanded", "false")
    await check("closed group")
    await page.keyboard.press("?")
    await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible()
    await check("shortcuts")
    await page.keyboard.press("Escape")
    await page.setViewportSize({ width: 800, height: 600 })
    await check("small window")
    await page.keyboard.press("Control+k")
    await expect(page.getByRole("listbox")).toBeVisible()
    await check("palette")
  })
}
