import type { Page } from "@playwright/test"
import { expect, signIn, test } from "./page-test.ts"

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })

const drawer = (page: Page) => page.getByRole("navigation", { name: "Casella" })
const show = (page: Page) => page.getByRole("button", { name: "Show the sidebar" }).tap()

// Would catch: a drawer that stays over what was chosen in it, or that only its own button closes.
test("on a phone the drawer closes by choosing, by a tap beside it and by Esc", async ({ page, box }) => {
  await signIn(page, box)
  for (const close of [
    () => drawer(page).getByRole("link", { name: "Assistants" }).tap(),
    () => drawer(page).getByRole("link", { name: "Assistants" }).tap(), // where one is already
    () => page.touchscreen.tap(380, 400),
    () => page.keyboard.press("Escape"),
  ]) {
    await show(page)
    await expect(drawer(page)).toBeVisible()
    await close()
    await expect(drawer(page)).toBeHidden()
  }
  await expect(page.getByRole("heading", { name: "Assistants", level: 1 })).toBeVisible()
})
