import type { Page } from "@playwright/test"
import { createClient } from "../src/shared/client/http-client.ts"
import { expect, signIn, test } from "./page-test.ts"
import type { RunningBox } from "./running-box.ts"

const nameIn = (page: Page) =>
  page.evaluate(async () => {
    const headers = { "x-session-secret": localStorage.getItem("session-secret") ?? "" }
    const answer = await fetch("/api/public/me", { headers })
    return ((await answer.json()) as { user?: { name: string } }).user?.name
  })

async function linkFor(box: RunningBox, name: string): Promise<string> {
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  const email = `${name.toLowerCase()}-${Date.now()}@example.com`
  return (await client.people.add({ body: { email, name } })).links.local
}

// Catches a link that signs a colleague's browser into another account without asking, and a tab that shows one user's chats while it
// writes to another's.
test("a link for another user asks first, and then applies to every tab", async ({ page, box }) => {
  await signIn(page, box)
  const owner = await nameIn(page)
  const link = await linkFor(box, "Mallory")
  const tab = await page.context().newPage()
  const addresses: string[] = []
  tab.on("request", (request) => addresses.push(request.url(), request.headers()["referer"] ?? ""))

  await tab.goto(link)
  await expect(tab.getByRole("heading", { name: "Sign in as Mallory?" })).toBeVisible()
  expect(tab.url()).not.toContain("token")
  await tab.getByRole("button", { name: "Stay signed in" }).click()
  await expect(tab.getByRole("main")).toBeVisible()
  expect(await nameIn(tab)).toBe(owner)

  await tab.goto("about:blank")
  await tab.goto(link)
  const reloaded = page.waitForEvent("load")
  await tab.getByRole("button", { name: "Sign in as Mallory" }).click()
  await expect(tab.getByRole("heading", { name: "Sign in as Mallory?" })).toBeHidden()
  // retried while a tab is reloading
  await expect(async () => expect(await nameIn(tab)).toBe("Mallory")).toPass({ timeout: 20_000 })
  await reloaded
  expect(await nameIn(page)).toBe("Mallory")
  const token = link.split("token=")[1] ?? ""
  expect(addresses.join(" ")).not.toContain(token)
  await tab.goBack()
  expect(tab.url()).not.toContain(token)
})
