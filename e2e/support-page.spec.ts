import { readFileSync } from "node:fs"
import { expect, test, type Download, type Page } from "@playwright/test"
import { getViolations } from "./expect-accessible.ts"
import { startAuthService, type RunningAuthService } from "./running-auth-service.ts"

const password = "a long enough password"
const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const hostile = {
  sourceApp: "Web Shop",
  title: "<img src=x onerror=document.title='run'>",
  description: "<script>document.title='run'</script>",
  screenshot: "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload=\"document.title='run'\"/>",
  attachment: "data:text/html,<script>document.title='run'</script>",
  attachmentName: "../report.html",
  uiLogs: [{ ts: "2026-01-01", level: "error", message: "<b>broken</b>" }],
}
const ordinary = {
  sourceApp: "casella",
  title: "Search forgets my folder",
  description: "After a restart.",
  screenshot: `data:image/png;base64,${pixel}`,
  context: { appVersion: "0.1.0" },
}

let service: RunningAuthService
let faults: string[]

test.beforeAll(async () => {
  service = await startAuthService()
  await service.run("users", "add", "staff@example.com", "--password", password, "--name", "Sam", "--staff")
  await service.run("users", "add", "ann@example.com", "--password", password, "--name", "Ann")
})
test.afterAll(() => service[Symbol.asyncDispose]())
test.beforeEach(({ page }) => {
  faults = []
  page.on("pageerror", (error) => faults.push(error.message))
  page.on("console", (message) => {
    const isOurs = message.type() === "error" && !message.text().startsWith("Failed to load resource")
    if (isOurs) faults.push(message.text())
  })
})
test.afterEach(() => expect(faults).toEqual([]))

async function send(...tickets: object[]) {
  const { jwt } = await service.post("/api/auth/sign-in/email", { email: "ann@example.com", password })
  for (const ticket of tickets) await service.post("/api/v1/tickets", ticket, String(jwt))
}

async function signIn(page: Page, email: string) {
  await page.goto(service.url)
  await page.getByLabel("E-mail").fill(email)
  await page.getByLabel("Password").fill(password)
  await page.getByRole("button", { name: "Sign in" }).click()
}

const getText = async (download: Download) => readFileSync(await download.path(), "utf8")

for (const colorScheme of ["light", "dark"] as const) {
  test(
    `staff find, read, answer and export tickets, in ${colorScheme}`,
    { tag: "@screen/supportPage" },
    async ({ page }) => {
      await page.emulateMedia({ colorScheme })
      await send(ordinary)
      await page.goto(service.url)
      await expect(page.getByRole("button", { name: "Sign in" })).toBeVisible()
      expect(await getViolations(page)).toEqual([])

      await signIn(page, "staff@example.com")
      await page.getByLabel("Search").fill("FORGETS")
      await page
        .getByRole("link", { name: /Search forgets/ })
        .first()
        .click()
      await expect(page.getByRole("heading", { name: "Search forgets my folder" })).toBeVisible()
      const shot = page.getByAltText("Screenshot sent with the ticket")
      await expect(shot).toBeVisible()
      await expect(shot).toHaveJSProperty("naturalWidth", 1)
      expect(await getViolations(page)).toEqual([])

      await page.getByLabel("Status of this ticket").selectOption("Resolved")
      await expect(page.getByRole("link", { name: /Resolved/ }).first()).toBeVisible()
      const exported = page.waitForEvent("download")
      await page.getByRole("button", { name: "Export CSV" }).click()
      expect(await getText(await exported)).toContain('"RESOLVED","BUG","casella"')

      await page.reload()
      await expect(page.getByRole("heading", { name: "Search forgets my folder" })).toBeVisible()
      await page.getByRole("button", { name: "Sign out" }).click()
      await expect(page.getByRole("button", { name: "Sign in" })).toBeVisible()
    },
  )
}

// Catches a ticket that runs a script in the support desk's browser.
test("nothing in a hostile ticket runs or is rendered", async ({ page }) => {
  await send(hostile)
  await signIn(page, "staff@example.com")
  await page
    .getByRole("link", { name: /<img src=x/ })
    .first()
    .click()
  const ticket = page.getByRole("article")
  await expect(ticket.getByRole("heading", { level: 2 })).toHaveText(hostile.title)
  await expect(ticket.getByText(hostile.description)).toBeVisible()
  await expect(ticket.locator("img, svg, iframe, object, embed, script")).toHaveCount(0)
  const saved = page.waitForEvent("download")
  await ticket.getByRole("button", { name: /Save report.html/ }).click()
  const download = await saved
  expect(download.suggestedFilename()).toBe("report.html")
  expect(await getText(download)).toBe("<script>document.title='run'</script>")
  await ticket.getByText("Page log (1)").click()
  await expect(ticket.getByText("<b>broken</b>")).toBeVisible()
  await expect(page).toHaveTitle("Casella Support")
})

test("users who aren't staff see no tickets", async ({ page }) => {
  await send(ordinary)
  await signIn(page, "ann@example.com")
  await expect(page.getByRole("alert")).toHaveText(/Only support staff/)
  await expect(page.getByRole("link")).toHaveCount(0)
})
