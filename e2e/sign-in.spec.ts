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

// Would catch: a link of somebody's own account that signs a colleague's browser in unasked, and a tab that goes on
// showing one person's chats while it writes into another's.
test("a link for somebody else asks first, and then every tab is theirs", async ({ page, box }) => {
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
  // asked again where a tab is just being loaded anew
  await expect(async () => expect(await nameIn(tab)).toBe("Mallory")).toPass({ timeout: 20_000 })
  await reloaded
  expect(await nameIn(page)).toBe("Mallory")
  const token = link.split("token=")[1] ?? ""
  expect(addresses.join(" ")).not.toContain(token)
  await tab.goBack()
  expect(tab.url()).not.toContain(token)
})
