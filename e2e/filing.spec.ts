import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Page } from "@playwright/test"
import { makePdf } from "../src/box/parsers/testing/make-pdf.ts"
import { startModelServer } from "../src/box/testing/model-servers/model-server.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { expectAccessible } from "./expect-accessible.ts"
import { expect, signIn, test } from "./page-test.ts"
import { startBox } from "./running-box.ts"

const main = (page: Page) => page.getByRole("main")

// Catches files that only scripts can organise, a history that is never shown, and changes that the page can't undo.
test("a file is renamed, moved and tagged, and each change is undone from its history", async ({ page }) => {
  await using box = await startBox()
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  await page.emulateMedia({ reducedMotion: "reduce" })
  const inbox = (await client.folders.create({ body: { name: "Inbox" } })).vector.id
  const archive = (await client.folders.create({ body: { name: "Archive" } })).vector.id
  const file = { file: new Blob(["Two chairs: 40 euros."]), fileName: "scan1.txt" }
  await client.files.upload({ params: { id: inbox }, ...file })
  await signIn(page, box)
  await page.goto(`${box.url}/#/dc/vector/${inbox}`)
  const row = (name: string) => page.getByRole("row").filter({ hasText: name })
  await expect(row("scan1.txt").getByText("Indexed")).toBeVisible()
  await page.getByRole("button", { name: "Actions for scan1.txt" }).click()
  await page.getByRole("menuitem", { name: "Rename, move or tag…" }).click()
  const dialog = page.getByRole("dialog", { name: "“scan1.txt”: name, location and tags" })
  await expect(dialog.getByRole("button", { name: "Save" })).toBeDisabled()
  await dialog.getByLabel("Name").fill("May ACME")
  await dialog.getByLabel("Tags").fill("invoice, chairs")
  await dialog.getByLabel("Folder", { exact: true }).selectOption("Archive")
  await dialog.getByLabel("Subfolder").fill("2026/may")
  await expectAccessible(page, "name, location and tags")
  await page.keyboard.press("Enter")
  await expect(dialog).toBeHidden()
  await expect(row("scan1.txt")).toHaveCount(0)

  await page.goto(`${box.url}/#/dc/vector/${archive}`)
  await expect(row("May ACME.txt").getByText("Indexed")).toBeVisible()
  await page.getByRole("button", { name: "Actions for May ACME.txt" }).click()
  await page.getByRole("menuitem", { name: "Details" }).click()
  const details = page.getByRole("dialog", { name: "May ACME.txt" })
  await expect(details).toContainText("invoice, chairs")
  const steps = details.getByRole("list", { name: "History" }).getByRole("listitem")
  await expect(steps).toHaveCount(3)
  await expect(steps.first()).toContainText("Moved from Inbox to Archive/2026/may")
  await expectAccessible(page, "a file's history")
  await details.getByRole("button", { name: /^Undo: Tagged/ }).click()
  await expect(steps).toHaveCount(4)
  await expect(steps.first()).toContainText("Tags undone")
  await page.keyboard.press("Escape")

  // Undoing a change that isn't the latest shows what to undo first.
  await page.goto(`${box.url}/#/work/filed`)
  const changes = main(page).getByRole("list", { name: "Changes to files" }).getByRole("listitem")
  await expect(changes).toHaveCount(3)
  await expectAccessible(page, "changes to files")
  await changes.filter({ hasText: "Renamed" }).getByRole("button").click()
  await expect(
    page.getByText("The file has since been renamed, moved or tagged again. Undo that first."),
  ).toBeVisible()
  await changes.filter({ hasText: "Moved" }).getByRole("button").click()
  await expect(changes.filter({ hasText: "Moved" })).toContainText("Undone")
  await changes.filter({ hasText: "Renamed" }).getByRole("button").click()
  await expect(changes.filter({ hasText: "Renamed" })).toContainText("Undone")
  const { files } = await client.files.list({ params: { id: inbox }, query: {} })
  expect(files).toMatchObject([{ name: "scan1.txt", folder: "", tags: [] }])
})

// Catches filing without the owner's approval, an approval lost when the window was closed or the box was killed, and a note that can't be
// undone.
test("a PDF that arrives while no window is open is filed when its owner approves it in the bell", async ({
  page,
}) => {
  const directory = await mkdtemp(join(tmpdir(), "casella-clerk-"))
  try {
    await using model = await startModelServer(({ messages }) =>
      messages.at(-1)?.role === "tool"
        ? { text: "The note is written." }
        : { calls: [{ name: "writeNote", args: { file: "may.pdf", text: "Total: 40 euros." } }] },
    )
    await using box = await startBox("--model", model.baseUrl)
    const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
    await page.emulateMedia({ reducedMotion: "reduce" })
    const folder = (await client.folders.create({ body: { name: "Invoices", folder: directory } })).vector.id
    const { assistant } = await client.assistants.create({
      body: { name: "Clerk", instructions: "File what comes.", builtInTools: { filing: true } },
    })
    await client.automations.create({
      body: {
        name: "File management",
        trigger: { kind: "file", vectorId: folder, match: "*.pdf" },
        assistantId: assistant.id,
        prompt: "Read {{file.name}} and file it.",
        vectorIds: [folder],
      },
    })
    await signIn(page, box)
    await page.goto("about:blank")
    const pdf = makePdf([{ lines: [{ text: "Two chairs: 40 euros.", size: 24 }] }])
    await writeFile(join(directory, "may.pdf"), pdf)
    await expect.poll(async () => (await client.chat.activity({})).approvals.length).toBe(1)
    await box.kill()
    await box.restart()

    await page.goto(box.url)
    await page.getByRole("button", { name: /^Inbox/ }).click()
    const card = page.getByRole("region", { name: "Write this note?" })
    await expect(card).toContainText('Add the note "may.pdf.md" to "may.pdf" in Invoices: 16 characters.')
    expect(await readdir(directory)).toEqual(["may.pdf"])
    await card.getByRole("button", { name: "Allow once" }).click()
    await expect.poll(async () => (await readdir(directory)).toSorted()).toEqual(["may.pdf", "may.pdf.md"])
    expect(await readFile(join(directory, "may.pdf.md"), "utf8")).toBe("Total: 40 euros.")

    await page.goto(`${box.url}/#/work/filed`)
    const change = main(page).getByRole("list", { name: "Changes to files" }).getByRole("listitem")
    await expect(change).toContainText("Note “may.pdf.md” added")
    await change.getByRole("button", { name: /^Undo/ }).click()
    await expect(change).toContainText("Undone")
    expect(await readdir(directory)).toEqual(["may.pdf"])
    expect(await readFile(join(directory, "may.pdf"))).toEqual(pdf)
  } finally {
    await rm(directory, { recursive: true })
  }
})
