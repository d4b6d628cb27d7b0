import type { Page } from "@playwright/test"
import bounds from "../bench/bounds.json" with { type: "json" }
import { createFolder, expect, signIn, test } from "./page-test.ts"

/** The page's requests to its box while it is reloaded, until there are no more. */
async function getCalls(page: Page, url: string, check: () => Promise<void>) {
  await page.waitForLoadState("networkidle")
  await page.goto("about:blank")
  const paths: string[] = []
  page.on("request", (request) => paths.push(new URL(request.url()).pathname))
  await page.goto(url, { waitUntil: "commit" })
  await check()
  await page.waitForLoadState("networkidle")
  return paths.filter((path) => path.startsWith("/api/"))
}

// Catches a part of the first screen that sends its own request.
test("a first screen needs one request", async ({ page, box }) => {
  await signIn(page, box)
  await createFolder(page, "Handbook")
  const calls = await getCalls(page, box.url, async () => {
    await expect(page.getByLabel("Message", { exact: true })).toBeFocused()
    await expect(page.getByRole("navigation").locator('a[href*="/dc/vector/"]').first()).toBeVisible()
  })
  // After the live connection opens, the page checks the feed for notifications sent in the meantime.
  expect(calls.filter((path) => path !== "/api/public/notifications")).toEqual(["/api/public/first-screen"])
  expect(calls.length).toBeLessThanOrEqual(bounds.page.firstScreenCalls)
})

// Catches a white flash while the page's code loads for users who chose the dark theme.
test("the chosen theme is known before the page's code has loaded", async ({ page, box }) => {
  await signIn(page, box)
  await page.evaluate(`localStorage.setItem("theme", "dark")`)
  const { promise: release, resolve: letGo } = Promise.withResolvers<void>()
  await page.route(/\/assets\/index-[^/]*\.js$/, async (route) => {
    await release
    await route.continue()
  })
  await page.reload({ waitUntil: "commit" })
  await expect(page.locator("html[data-theme=dark]")).toHaveCount(1)
  expect(await page.locator("#root > *").count()).toBe(0)
  letGo()
  await expect(page.getByLabel("Message", { exact: true })).toBeFocused()
})
