import { createServer } from "node:http"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { createClient } from "../src/shared/client/http-client.ts"
import { expect, signIn, test } from "./page-test.ts"

const secretKey = "session-secret"

/** A server of somebody else's on this computer: it sees the cookies of every visitor, and may set some. */
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

// Would catch: a session that another port of this computer takes over, because cookies go to every port.
test("what another port sees of a session opens nothing", async ({ page, box }) => {
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
  // The page itself goes on.
  const secret = await page.evaluate((key) => localStorage.getItem(key) ?? "", secretKey)
  expect(stolen).not.toContain(secret)
  const own = await page.evaluate(
    async (value) => (await fetch("/api/public/me", { headers: { "x-session-secret": value } })).status,
    secret,
  )
  expect(own).toBe(200)
})

// Would catch: a page that goes on as somebody else, because another port set their cookie.
test("a tossed cookie signs out, never in, and a link says what to do", async ({ page, box, browser }) => {
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
  await page.goto(link) // it wasn't used up
  await expect(page.getByRole("heading", { name: "What would you like to know?" })).toBeVisible()
  await using instead = await startOther([`${line}; Path=/`])
  await tab.goto(instead.url)
  await page.reload()
  await expect(page.getByRole("heading", { name: "Sign in to Casella" })).toBeVisible()
  await expect(page.getByText("Mallory")).toHaveCount(0)
})

// Would catch: a tab that shows on what somebody signed out of, and a page without a way back in.
test("signing out holds in every tab, and so does a storage that was emptied", async ({ page, box }) => {
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
