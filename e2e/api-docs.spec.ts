import { expect, test } from "@playwright/test"
import { startBox } from "./running-box.ts"

// Catches a reference that needs the network or breaks the page's policy, a request that isn't sent with the typed key, and a key that
// outlives the page.
test("requests can be tried in the API reference with a key that is kept in memory", async ({ page }) => {
  await using box = await startBox()
  const faults: string[] = []
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()))
  page.on("pageerror", ({ message }) => faults.push(message))
  page.on("request", (request) => {
    if (!request.url().startsWith(box.url) && !request.url().startsWith("data:")) faults.push(request.url())
  })
  await page.goto(`${box.url}/api/docs#/Account/account.me`)
  await page.getByRole("button", { name: "Authorize", exact: true }).click()
  await page.locator(".auth-container input").first().fill(box.key)
  await page.getByRole("button", { name: "Apply credentials" }).first().click()
  await page.locator(".btn-done").first().click()

  await page.getByRole("button", { name: "Try it out" }).click()
  await page.getByRole("button", { name: "Execute" }).click()
  await expect(page.locator(".live-responses-table .response .response-col_status")).toContainText("200")
  expect(await page.evaluate(() => [localStorage.length, sessionStorage.length])).toEqual([0, 0])
  expect(faults).toEqual([])
})
