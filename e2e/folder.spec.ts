import { mkdirSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeEncryptedPdf } from "../src/box/parsers/testing/make-pdf.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { expectAccessible } from "./expect-accessible.ts"
import { createFolder, expect, holdCode, moveUntilShown, signIn, test, writeText } from "./page-test.ts"

const sales = ["Month,Sold", ...Array.from({ length: 12 }, (_, index) => `Month ${index + 1},${index * 12}`)]
const code = ["import os", "", "def count_walruses(pool):", "    return len(pool)"]

test(
  "an empty folder leads to failed files, a file found by name, and rows and lines",
  { tag: "@screen/folder" },
  async ({ page, box }, info) => {
    const write = (name: string, text: string) => writeText(info, name, text)
    await signIn(page, box)
    await createFolder(page, "Office")
    const chooser = page.waitForEvent("filechooser")
    await page.getByRole("button", { name: "Choose files" }).click()
    await (
      await chooser
    ).setFiles([
      write("sales.csv", sales.join("\n")),
      write("pool.py", code.join("\n")),
      write("Lease Rossi.txt", "Either party may end it with six months' notice."),
      write("copy.txt", "Either party may end it with six months' notice."),
      write("broken.pdf", "%PDF-1.4 broken"),
    ])

    const row = (name: string) => page.getByRole("row").filter({ hasText: name })
    for (const name of ["sales.csv", "pool.py", "Lease Rossi.txt", "copy.txt"])
      await expect(row(name).getByText("Indexed", { exact: true })).toBeVisible()
    await page.getByRole("tab", { name: "Test search" }).click()
    await page.getByRole("button", { name: "1 file failed." }).click()
    await expect(page.getByRole("list", { name: "Failed files" })).toContainText("broken.pdf")
    await expect(row("pool.py")).toBeHidden()
    await page.getByLabel("Status", { exact: true }).selectOption("")
    await page.getByLabel("Find a file").fill("rossi lease")
    await expect(row("Lease Rossi.txt")).toBeVisible()
    await expect(row("pool.py")).toBeHidden()

    await page.getByRole("tab", { name: "Test search" }).click()
    const field = page.getByLabel("Enter a question to test")
    const passages = page.getByLabel("Passages").getByRole("button")
    const document = page.getByRole("complementary", { name: "Document" })
    await field.fill("lease rossi")
    await page.keyboard.press("Enter")
    await expect(passages.first()).toContainText("Lease Rossi.txt")
    await expect(passages.first()).toContainText("file name #1")

    await field.fill("end with six months notice")
    await page.keyboard.press("Enter")
    await expect(passages.first()).toContainText(/Also in (copy|Lease Rossi)\.txt/)

    await field.fill("month 11 sold")
    await page.keyboard.press("Enter")
    await passages.filter({ hasText: "Month 11" }).first().click()
    await expect(document.locator("mark").filter({ hasText: "Month 11" })).toBeInViewport()
    await expect(document.getByText("120", { exact: true })).toBeVisible() // the value has its own cell
    await expectAccessible(page, "a table")
    await page.keyboard.press("Escape")

    await field.fill("count walruses")
    await page.keyboard.press("Enter")
    await passages.filter({ hasText: "pool.py" }).first().click()
    await expect(document.locator("mark").filter({ hasText: "count_walruses" })).toBeInViewport()
    await expect(document.getByText("4", { exact: true })).toBeVisible() // the line number
  },
)

test("hovering over a source shows its passage and location", async ({ page, box }, info) => {
  const lease = "# Ending\n\nEither party may end the lease with six months' notice.\n"
  const path = writeText(info, "lease.md", lease)
  await signIn(page, box)
  await createFolder(page, "Flat")
  await page.locator('input[aria-label="Files"]').setInputFiles(path)
  await expect(
    page.getByRole("row").filter({ hasText: "lease.md" }).getByText("Indexed", { exact: true }),
  ).toBeVisible()
  await page.getByRole("link", { name: "Ask", exact: true }).click()
  await page.getByLabel("Message", { exact: true }).fill("How do I end the lease?")
  await page.keyboard.press("Enter")
  const chip = page.getByRole("list", { name: "Sources" }).getByRole("button")
  const glance = page.locator("[data-side]").filter({ hasText: "six months' notice" })
  await moveUntilShown(page, chip, glance)
  await expect(glance).toContainText("Ending")
  await chip.click()
  await expect(glance).toBeHidden()
  await expect(page.getByRole("complementary", { name: "Document" })).toBeVisible()
})

// Catches a click that is lost because the button is replaced, when the code of its preview has loaded, between press and release.
test("a source that is pressed while the code of its preview loads opens", async ({ page, box }) => {
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  const { vector } = await client.folders.create({ body: { name: "Pressed" } })
  const file = new Blob(["Either party may end the lease with six months' notice."])
  await client.files.upload({ params: { id: vector.id }, file, fileName: "lease.md" })
  const pending = async () => (await client.folders.read({ params: { id: vector.id } })).vector.pendingCount
  await expect.poll(pending).toBe(0)
  const preview = await holdCode(page, /HoverGlanceCard/)
  await signIn(page, box)
  await page.goto(`${box.url}/#/?folder=${vector.id}`)
  await page.getByLabel("Message", { exact: true }).fill("How do I end the lease?")
  await page.keyboard.press("Enter")
  await page.getByRole("list", { name: "Sources" }).getByRole("button").first().hover()
  await page.mouse.down()
  await preview.release()
  await page.mouse.up()
  await expect(page.getByRole("complementary", { name: "Document" })).toBeVisible()
})

test("a missing directory is reported, with what to do", async ({ page, box }, info) => {
  const directory = join(info.outputPath(), "papers")
  mkdirSync(directory)
  writeFileSync(join(directory, "note.txt"), "The blue bicycle is in the cellar.")
  await signIn(page, box)
  await page.goto(`${box.url}/#/dc?new`)
  await page.getByLabel("Name", { exact: true }).fill("Papers")
  await page.getByLabel("Folder on this computer (optional)").fill(directory)
  await page.getByRole("button", { name: "Create folder" }).click()
  const row = page.getByRole("row").filter({ hasText: "note.txt" })
  await expect(row.getByText("Indexed", { exact: true })).toBeVisible()

  renameSync(directory, `${directory}-elsewhere`)
  await expect(page.getByText(/^Casella can’t find this folder on disk\. Reconnect the drive/)).toBeVisible()
  await expect(page.getByRole("button", { name: "Resume indexing" })).toBeHidden()
  await expect(row).toBeVisible()
  renameSync(`${directory}-elsewhere`, directory)
  await expect(page.getByText(/^Casella can’t find this folder on disk/)).toBeHidden({ timeout: 30_000 })
})

// Catches actions that are pushed off a small window, and a folder name that is hidden there.
test("a folder's name and actions fit a small window", async ({ page, box }) => {
  await signIn(page, box)
  await createFolder(page, "Letters of last year")
  await page.setViewportSize({ width: 390, height: 844 })
  await page.reload()
  await expect(page.getByRole("heading", { name: "Letters of last year", level: 1 })).toBeInViewport()
  for (const name of ["Ask", "Summaries and tables"])
    await expect(page.getByRole("link", { name, exact: true })).toBeInViewport({ ratio: 1 })
  await expect(page.getByRole("button", { name: "Add files" })).toBeInViewport({ ratio: 1 })
  await expect(page.getByRole("button", { name: "Folder actions" })).toBeInViewport({ ratio: 1 })
  await page.getByRole("link", { name: "Ask", exact: true }).click()
  await expect(page.getByRole("button", { name: "Folders", exact: true })).toBeInViewport({ ratio: 1 })
})

// Catches a file error whose toast asks for a problem report, or whose link doesn't lead to the file.
test("the toast of an unreadable file leads to what can be done about it", async ({ page, box }) => {
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  const { vector } = await client.folders.create({ body: { name: "Locked" } })
  await signIn(page, box)
  await client.files.upload({
    params: { id: vector.id },
    file: new Blob([makeEncryptedPdf("Open sesame.", "sesame")]),
    fileName: "locked.pdf",
  })
  const toasts = page.locator("[data-toasts]")
  await expect(toasts).toContainText("1 file failed in Locked")
  await expect(toasts.getByRole("button", { name: "Report a problem" })).toBeHidden()
  await toasts.getByRole("button", { name: "Show" }).click()
  const failed = page.getByRole("list", { name: "Failed files" })
  await expect(failed).toContainText("locked.pdf")
  await expect(page).toHaveURL(new RegExp(`/dc/vector/${vector.id}\\?tab=files&status=failed$`))

  // Also from another tab of the same folder, after all states are shown again.
  await page.getByLabel("Status", { exact: true }).selectOption("")
  await expect(failed).toBeHidden()
  await page.getByRole("tab", { name: "Test search" }).click()
  await page.getByRole("button", { name: /^Inbox/ }).click()
  await page.getByRole("dialog", { name: "Inbox" }).getByText("1 file failed in Locked").click()
  await expect(failed).toContainText("locked.pdf")
  await page.reload()
  await expect(failed).toContainText("locked.pdf")
})
