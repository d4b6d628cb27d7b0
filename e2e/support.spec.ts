import type { Page } from "@playwright/test"
import { createClient } from "../src/shared/client/http-client.ts"
import { expectAccessible } from "./expect-accessible.ts"
import { expect, signIn, test } from "./page-test.ts"
import { startAuthService, type RunningAuthService } from "./running-auth-service.ts"
import { startBox } from "./running-box.ts"

const password = "a long enough password"
const email = "ann@example.com"

/** A white image of 400 × 300 pixels. */
const whitePicture = async (page: Page): Promise<Buffer> => {
  const dataUrl = await page.evaluate<string>(`(() => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 400, height: 300 })
    const context = canvas.getContext("2d")
    context.fillStyle = "#ffffff"
    context.fillRect(0, 0, 400, 300)
    return canvas.toDataURL("image/png")
  })()`)
  return Buffer.from(dataUrl.split(",")[1] ?? "", "base64")
}

/** Colours of an image at positions given in pixels. */
const getPixels = (page: Page, url: string, places: [number, number][]) =>
  page.evaluate<number[][]>(`(async () => {
    const image = new Image()
    image.src = ${JSON.stringify(url)}
    await image.decode()
    const context = document.createElement("canvas").getContext("2d")
    context.canvas.width = image.naturalWidth
    context.canvas.height = image.naturalHeight
    context.drawImage(image, 0, 0)
    return ${JSON.stringify(places)}.map(([x, y]) => [...context.getImageData(x, y, 1, 1).data].slice(0, 3))
  })()`)

const openSupport = (page: Page, url: string) => page.goto(`${url}/#/settings/support`)
const reports = (page: Page) => page.getByRole("list", { name: "Your reports" })

async function signInToSupport(page: Page): Promise<void> {
  await page.getByLabel("Account email").fill(email)
  await page.getByLabel("Account password").fill(password)
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
  await expect(page.getByText("Signed in as")).toBeVisible()
}

async function addPeople(service: RunningAuthService): Promise<string> {
  await service.run("users", "add", email, "--password", password, "--name", "Ann")
  await service.run("users", "add", "staff@example.com", "--password", password, "--name", "Sam", "--staff")
  const { jwt } = await service.post("/api/auth/sign-in/email", { email: "staff@example.com", password })
  return String(jwt)
}

test("a report is written, redacted, sent, answered by support, and its answer is notified", async ({
  page,
  browser,
}) => {
  await using service = await startAuthService()
  const staffJwt = await addPeople(service)
  await using box = await startBox("--auth-url", service.url)
  await signIn(page, box)
  await openSupport(page, box.url)
  await page.getByLabel("Account email").fill(email)
  await page.getByLabel("Account password").fill("wrong password")
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
  await expect(page.getByLabel("Account password")).toHaveAttribute("aria-invalid", "true")
  await signInToSupport(page)

  await page.keyboard.press("ControlOrMeta+k")
  await page.getByRole("combobox").fill("Report a problem")
  await page.keyboard.press("Enter")
  const dialog = page.getByRole("dialog", { name: "Report a problem" })
  await dialog.getByRole("button", { name: "Send" }).click()
  await expect(dialog.getByText("Enter at least 3 characters.")).toBeVisible()
  await dialog.getByLabel("Summary").fill("Search forgets my folder")
  await dialog.getByLabel("What happened?").fill("After a restart.")
  const picture = { name: "shot.png", mimeType: "image/png", buffer: await whitePicture(page) }
  await dialog.getByLabel("Choose image").setInputFiles(picture)
  const shot = dialog.getByAltText("The screenshot that will be sent")
  await expect(shot).toHaveJSProperty("naturalWidth", 400) // before, it has no height
  await shot.scrollIntoViewIfNeeded()
  const area = await shot.boundingBox()
  if (!area) throw new Error("no picture")
  await shot.hover({ position: { x: area.width * 0.1, y: area.height * 0.1 } })
  await page.mouse.down()
  // Too fast for the page to render the movement before the button is released.
  await Promise.all([page.mouse.move(area.x + area.width * 0.5, area.y + area.height * 0.5), page.mouse.up()])
  await expect(dialog.getByRole("button", { name: "Black box 1" })).toBeVisible()
  await dialog.getByLabel("Attach file").setInputFiles({
    name: "notes.txt",
    mimeType: "text/plain",
    buffer: Buffer.from("what I did"),
  })
  await expectAccessible(page, "dialog")

  // A reload loses nothing that was written.
  await page.reload()
  await page.goto(`${box.url}/#/settings/support?new`)
  await expect(dialog.getByLabel("Summary")).toHaveValue("Search forgets my folder")
  await expect(dialog.getByRole("button", { name: "Black box 1" })).toBeVisible()
  await expect(dialog.getByText("notes.txt")).toBeVisible()
  await dialog.getByText("Casella’s log").click()
  const log = dialog.getByRole("list", { name: "Casella’s log" })
  const before = await log.getByRole("listitem").count()
  await log.getByRole("button").first().click()
  await expect(log.getByRole("listitem")).toHaveCount(before - 1)
  await dialog.getByRole("button", { name: "Send" }).click()
  await expect(dialog).toBeHidden()
  await expect(reports(page)).toContainText("Open")

  const headers = { authorization: `Bearer ${staffJwt}` }
  const queue = (await (await fetch(`${service.url}/api/v1/tickets`, { headers })).json()) as {
    tickets: { id: string }[]
  }
  expect(queue.tickets).toHaveLength(1)
  const answer = await fetch(`${service.url}/api/v1/tickets/${queue.tickets[0]?.id}`, { headers })
  const { ticket } = (await answer.json()) as {
    ticket: { screenshot: string; attachmentName: string; serverLogs: object[]; context: { page: string } }
  }
  expect(ticket.attachmentName).toBe("notes.txt")
  expect(ticket.serverLogs).toHaveLength(before - 1)
  // Black where it was redacted, white elsewhere: the pixels themselves change, not an overlay.
  const places: [number, number][] = [
    [120, 90],
    [300, 250],
  ]
  expect(await getPixels(page, ticket.screenshot, places)).toEqual([
    [0, 0, 0],
    [255, 255, 255],
  ])

  const desk = await (await browser.newContext()).newPage()
  await desk.goto(service.url)
  await desk.getByLabel("E-mail").fill("staff@example.com")
  await desk.getByLabel("Password").fill(password)
  await desk.getByRole("button", { name: "Sign in" }).click()
  await desk
    .getByRole("link", { name: /Search forgets/ })
    .first()
    .click()
  await desk.getByLabel("Status of this ticket").selectOption("Resolved")
  await expect(desk.getByRole("link", { name: /Resolved/ }).first()).toBeVisible()
  await desk.context().close()

  await page.reload()
  await expect(reports(page)).toContainText("Resolved")
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  await expect
    .poll(async () => (await client.notifications.list()).notifications.map(({ title }) => title))
    .toContain("Your report is resolved")
})

test("a report that can't be sent waits, can be edited and removed, and is sent automatically", async ({
  page,
}) => {
  await using service = await startAuthService()
  await addPeople(service)
  await using box = await startBox("--auth-url", service.url)
  await signIn(page, box)
  await page.setViewportSize({ width: 800, height: 600 })
  await openSupport(page, box.url)
  const write = async (title: string) => {
    await page.getByRole("button", { name: "Report a problem" }).click()
    await page.getByLabel("Summary").fill(title)
    await page.getByLabel("What happened?").fill("Nothing.")
    await page.getByRole("dialog").getByRole("button", { name: "Send" }).click()
  }
  await write("First")
  await write("Second")
  await expect(reports(page).getByText("Waiting")).toHaveCount(2)
  await expect(reports(page)).toContainText("Sign in below")
  await page.getByRole("button", { name: "Edit “First”" }).click()
  await page.getByLabel("Summary").fill("First, changed")
  await page.getByRole("button", { name: "Save and send" }).click()
  await page.getByRole("button", { name: "Remove “Second”" }).click()
  await expect(reports(page).getByRole("listitem")).toHaveCount(1)
  await signInToSupport(page)
  await expect(reports(page)).toContainText("First, changed")
  await expect(reports(page)).toContainText("Open")
  await page.getByRole("button", { name: "Sign out of support" }).click()
  await expect(page.getByLabel("Account email")).toBeVisible()
})

for (const colorScheme of ["light", "dark"] as const) {
  test(`the section and the dialog have no serious fault in ${colorScheme}`, async ({ page, box }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
    await signIn(page, box)
    await openSupport(page, box.url)
    await expect(page.getByText("No support service is set up").first()).toBeVisible()
    await expectAccessible(page, "section")
    await page.getByRole("button", { name: "Report a problem" }).click()
    await expect(page.getByLabel("Summary")).toBeVisible()
    await expectAccessible(page, "dialog")
  })
}
