import { createServer } from "node:http"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { createClient } from "../src/shared/client/http-client.ts"
import { expect, signIn, test } from "./page-test.ts"

const secretKey = "session-secret"

/** Another program's server on this computer. It sees every visitor's cookies and can set some. */
async function startOther(setCookie: string[] = []) {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(request.headers.cookie ?? "")
    response.setHeader("set-cookie", setCookie).setHeader("content-type", "text/html").end("<p>Hello</p>")
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}

// Catches a session that another port of this computer can take over, because cookies are sent to every port.
test("session data visible to another port opens nothing", async ({ page, box }) => {
  await signIn(page, box)
  await using other = await startOther()
  const tab = await page.context().newPage()
  await tab.goto(other.url)
  const stolen = other.seen.join("; ")
  expect(stolen).toContain("casella_session_")
  expect(await tab.evaluate((key) => localStorage.getItem(key), secretKey)).toBeNull()
  const headers = { cookie: stolen, origin: box.url, "sec-fetch-site": "same-origin" }
  for (const path of ["me", "keys", "chats", "notifications"]) {
    const answer = await fetch(`${box.url}/api/public/${path}`, { headers })
    expect(answer.status, path).toBe(401)
  }
  // The page itself still works.
  const secret = await page.evaluate((key) => localStorage.getItem(key) ?? "", secretKey)
  expect(stolen).not.toContain(secret)
  const own = await page.evaluate(
    async (value) => (await fetch("/api/public/me", { headers: { "x-session-secret": value } })).status,
    secret,
  )
  expect(own).toBe(200)
})

// Catches a page that continues as another user because another port set their cookie.
test("a cookie set by another port signs the user out, never in, and a link shows what to do", async ({
  page,
  box,
  browser,
}) => {
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  const { links } = await client.people.add({ body: { email: "mallory@example.net", name: "Mallory" } })
  const theirs = await browser.newContext()
  await (await theirs.newPage()).goto(links.local)
  await expect.poll(async () => (await theirs.cookies()).length).toBe(1)
  const [cookie] = await theirs.cookies()
  await theirs.close()
  const line = `${cookie?.name}=${cookie?.value}; HttpOnly; SameSite=Strict`

  await signIn(page, box)
  await using beside = await startOther([`${line}; Path=/api`])
  const tab = await page.context().newPage()
  await tab.goto(beside.url)
  await page.reload()
  await expect(page.getByRole("heading", { name: "Sign in to Casella" })).toBeVisible()
  const link = await box.signInLink()
  await page.goto(link)
  await expect(page.getByText(/Delete the cookies of this address/)).toBeVisible()

  await page.context().clearCookies()
  await page.goto("about:blank")
  await page.goto(link) // the link wasn't used up
  await expect(page.getByRole("heading", { name: "What would you like to know?" })).toBeVisible()
  await using instead = await startOther([`${line}; Path=/`])
  await tab.goto(instead.url)
  await page.reload()
  await expect(page.getByRole("heading", { name: "Sign in to Casella" })).toBeVisible()
  await expect(page.getByText("Mallory")).toHaveCount(0)
})

// Catches a tab that still shows content after signing out, and a page without a way to sign in again.
test("signing out applies to every tab, and so does clearing the storage", async ({ page, box }) => {
  await signIn(page, box)
  const tab = await page.context().newPage()
  await tab.goto(box.url)
  await expect(tab.getByRole("heading", { name: "What would you like to know?" })).toBeVisible()
  await tab.goto(`${box.url}/#/settings`)
  await tab.getByRole("button", { name: "Sign out" }).click()
  for (const each of [tab, page]) {
    await expect(each.getByRole("heading", { name: "Sign in to Casella" })).toBeVisible()
    expect(await each.evaluate((key) => localStorage.getItem(key), secretKey)).toBeNull()
  }
  await signIn(page, box)
  await page.evaluate(() => localStorage.removeItem("session-secret"))
  await page.reload()
  await expect(page.getByRole("heading", { name: "Sign in to Casella" })).toBeVisible()
  await expect(page.getByText("npm run --silent box -- signin")).toBeVisible()
})
