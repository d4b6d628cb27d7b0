import { existsSync, mkdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "@playwright/test"
import { agileBytes } from "../src/box/parsers/testing/compound-files.ts"
import { makeEncryptedPdf } from "../src/box/parsers/testing/make-pdf.ts"
import { xlsxBytes } from "../src/box/parsers/testing/office-files.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { expectAccessible } from "./expect-accessible.ts"
import { createFolder, expect, signIn, test } from "./page-test.ts"
import type { RunningBox } from "./running-box.ts"

const getRow = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name })
const indexed = (page: Page, name: string) =>
  expect(getRow(page, name).getByText("Indexed", { exact: true })).toBeVisible()

async function follow(page: Page, box: RunningBox, name: string, directory: string): Promise<void> {
  await page.goto(`${box.url}/#/dc?new`)
  await page.getByLabel("Name", { exact: true }).fill(name)
  await page.getByLabel("Folder on this computer (optional)").fill(directory)
  await page.getByRole("button", { name: "Create folder" }).click()
}

const old = new Date("2021-05-06T07:08:09Z")
function write(path: string, text: string): void {
  writeFileSync(path, text)
  utimesSync(path, old, old)
}

// Catches a key or menu item that deletes a user's file from the disk without mentioning the disk.
test("deleting a followed file excludes it; the file on disk is deleted only on request", async ({
  page,
  box,
}, info) => {
  const directory = join(info.outputPath(), "own")
  mkdirSync(directory)
  const [kept, gone] = [join(directory, "kept.txt"), join(directory, "gone.txt")]
  write(kept, "The bicycle is in the cellar.")
  write(gone, "The ladder is in the shed.")
  await signIn(page, box)
  await follow(page, box, "Own", directory)
  await indexed(page, "kept.txt")
  await indexed(page, "gone.txt")
  await expect(getRow(page, "kept.txt")).toContainText("2021")

  await getRow(page, "kept.txt").focus()
  await page.keyboard.press("Delete")
  await expect(getRow(page, "kept.txt").getByText("Excluded", { exact: true })).toBeVisible()
  expect(readFileSync(kept, "utf8")).toBe("The bicycle is in the cellar.")
  await page.getByRole("button", { name: "Include in search" }).click()
  await indexed(page, "kept.txt")
  await getRow(page, "kept.txt").getByRole("button", { name: "Actions for kept.txt" }).click()
  await expect(page.getByRole("menuitem", { name: "Delete", exact: true })).toBeHidden()
  await page.getByRole("menuitem", { name: "Exclude from search" }).click()
  await expect(getRow(page, "kept.txt").getByText("Excluded", { exact: true })).toBeVisible()

  await getRow(page, "gone.txt").getByRole("button", { name: "Actions for gone.txt" }).click()
  await page.getByRole("menuitem", { name: "Delete from disk…" }).click()
  const asked = page.getByRole("alertdialog").or(page.getByRole("dialog"))
  await expect(asked).toContainText(directory)
  expect(existsSync(gone)).toBe(true)
  await asked.getByRole("button", { name: "Delete from disk" }).click()
  await expect(getRow(page, "gone.txt")).toBeHidden()
  await expect.poll(() => existsSync(gone)).toBe(false) // the row is hidden before the file is deleted

  await page.goto(`${box.url}/#/settings/trash`)
  const trash = page.getByRole("list", { name: "Deleted files" })
  await expect(trash).toContainText("gone.txt")
  await expectAccessible(page, "the trash")
  await trash.getByRole("button", { name: "Restore gone.txt" }).click()
  await expect.poll(() => existsSync(gone) && readFileSync(gone, "utf8")).toBe("The ladder is in the shed.")

  await expect(trash.filter({ hasText: "gone.txt" })).toBeHidden()

  await page.getByRole("link", { name: "Back", exact: true }).click()
  await indexed(page, "gone.txt")
  await page.getByRole("checkbox", { name: "Select all" }).click()
  const bar = page.getByRole("region", { name: "Selected files" })
  await expect(bar.getByRole("button", { name: "Delete", exact: true })).toBeHidden()
  await expect(bar.getByRole("button", { name: "Delete from disk…" })).toBeVisible()
  await bar.getByRole("button", { name: "Exclude from search" }).click()
  await expect(getRow(page, "gone.txt").getByText("Excluded", { exact: true })).toBeVisible()
  expect(existsSync(kept) && existsSync(gone)).toBe(true)
})

// Catches a trash that is emptied without asking, or only in part, and a prompt that doesn't give the amount.
test(
  "files in the trash are deleted permanently, one or all of them",
  { tag: "@screen/trash" },
  async ({ page, box }) => {
    await signIn(page, box)
    const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
    await client.files.emptyTrash()
    const { vector } = await client.folders.create({ body: { name: "Thrown away" } })
    const params = { id: vector.id }
    for (const fileName of ["first.txt", "second.txt", "third.txt"]) {
      const { files } = await client.files.upload({ params, file: new Blob(["Four"]), fileName })
      await client.files.remove({ params: { ...params, fileId: files[0]?.id ?? "" } })
    }
    await page.goto(`${box.url}/#/settings/trash`)
    const trash = page.getByRole("list", { name: "Deleted files" })
    const asked = page.getByRole("alertdialog")
    await trash.getByRole("button", { name: "Delete second.txt permanently" }).click()
    await expectAccessible(page, "one file to delete for good")
    await asked.getByRole("button", { name: "Cancel" }).click()
    await expect(trash.getByRole("listitem")).toHaveCount(3)
    await trash.getByRole("button", { name: "Delete second.txt permanently" }).click()
    await asked.getByRole("button", { name: "Delete permanently" }).click()
    await expect(trash).not.toContainText("second.txt")
    await page.getByRole("button", { name: "Empty trash" }).click()
    await expect(asked).toContainText("2 files (8 B) will be deleted permanently.")
    await asked.getByRole("button", { name: "Empty trash" }).click()
    await expect(page.getByText("The trash is empty")).toBeVisible()
    expect((await client.files.trash()).count).toBe(0)
  },
)

// Catches failed files that offer only the reason and no action.
test("failed files are fixed in one list: unlocked, retried or excluded", async ({ page, box }, info) => {
  const locked = join(info.outputPath(), "locked.pdf")
  const workbook = join(info.outputPath(), "locked.xlsx")
  const broken = join(info.outputPath(), "broken.pdf")
  writeFileSync(locked, makeEncryptedPdf("The heron hides in the reeds", "sesame"))
  const rows = '<row r="1"><c t="str"><v>The marmot sleeps in its burrow</v></c></row>'
  writeFileSync(workbook, agileBytes(xlsxBytes(rows), "sesame"))
  writeFileSync(broken, "%PDF-1.4 broken")
  await signIn(page, box)
  await createFolder(page, "Repairs")
  await page.locator('input[aria-label="Files"]').setInputFiles([locked, workbook, broken])
  // The row that needs a password leads to the password field.
  await page.getByRole("button", { name: "Actions for locked.pdf" }).click()
  await page.getByRole("menuitem", { name: "Unlock with password…" }).click()
  const details = page.getByRole("dialog", { name: "locked.pdf" })
  await expect(details.getByLabel("Password for locked.pdf")).toBeVisible()
  await expectAccessible(page, "the details of a locked file")
  await page.keyboard.press("Escape")
  await page.getByRole("button", { name: "3 files failed." }).click()
  const list = page.getByRole("list", { name: "Failed files" })
  await expect(list.getByRole("listitem")).toHaveCount(3)
  await expectAccessible(page, "what failed")
  await page.setViewportSize({ width: 390, height: 844 })
  for (const name of ["Retry 3 failed files", "Unlock"])
    await expect(page.getByRole("button", { name }).first()).toBeInViewport({ ratio: 1 })
  await page.setViewportSize({ width: 1280, height: 800 })
  for (const [left, name] of [
    [2, "locked.pdf"],
    [1, "locked.xlsx"],
  ] as const) {
    const row = list.getByRole("listitem").filter({ hasText: name })
    const password = list.getByLabel(`Password for ${name}`)
    await password.fill("sesam")
    await page.keyboard.press("Enter")
    await expect(row).toContainText("doesn't open with that password")
    await expect(password).toHaveValue("sesam")
    await expect(password).toBeFocused()
    await page.keyboard.press("End")
    await page.keyboard.type("e")
    await page.keyboard.press("Enter")
    await expect(page.locator("[data-toasts]")).toContainText(`${name} was read`)
    await expect(list.getByRole("listitem")).toHaveCount(left)
  }
  await list.getByRole("button", { name: "Exclude from search" }).click()
  await expect(page.getByText("No failed files")).toBeVisible()
  await page.getByRole("button", { name: "Show all files" }).click()
  await indexed(page, "locked.pdf")
  await expect(getRow(page, "broken.pdf").getByText("Excluded", { exact: true })).toBeVisible()
  await getRow(page, "locked.pdf").getByRole("button", { name: "locked.pdf", exact: true }).click()
  await expect(page.getByRole("img", { name: "Image locked.pdf" })).toBeVisible()

  await getRow(page, "locked.xlsx").getByRole("button", { name: "locked.xlsx", exact: true }).click()
  await expect(page.getByRole("complementary", { name: "Document" })).toContainText("The marmot sleeps")
})

// Catches a list that can't be sorted, and two long names that look the same because their ends are cut off.
test("columns sort, and long names keep their ends", async ({ page, box }, info) => {
  const long = "Minutes of the annual general meeting of the owners of the house at the old harbour"
  await signIn(page, box)
  await createFolder(page, "Sorted")
  const write = (name: string, text: string) => {
    const path = join(info.outputPath(), name)
    writeFileSync(path, text)
    return path
  }
  await page
    .locator('input[aria-label="Files"]')
    .setInputFiles([
      write(`${long} 2023.txt`, "three words here"),
      write(`${long} 2024.txt`, "two"),
      write("b.txt", "b"),
    ])
  await indexed(page, "b.txt")
  const names = () =>
    page
      .getByRole("row")
      .filter({ has: page.getByRole("cell") })
      .allTextContents()
  const sort = page.getByRole("columnheader").getByRole("button", { name: "Size" })
  await sort.click()
  await expect
    .poll(async () => (await names()).map((row) => /2023|2024|b\.txt/.exec(row)?.[0]))
    .toEqual(["2023", "2024", "b.txt"])
  await sort.click()
  await expect(page.getByRole("columnheader", { name: "Size" })).toHaveAttribute("aria-sort", "ascending")
  await expect.poll(async () => /b\.txt/.test((await names())[0] ?? "")).toBe(true)
  await page.setViewportSize({ width: 800, height: 600 })
  for (const year of ["2023.txt", "2024.txt"])
    await expect(page.getByText(new RegExp(`${year}$`)).last()).toBeInViewport({ ratio: 1 })
  await expectAccessible(page, "sorted files")
})

// Catches a folder that is lost permanently when its directory is moved.
test("a moved directory is followed at its new location", async ({ page, box }, info) => {
  const [then, now] = [join(info.outputPath(), "then"), join(info.outputPath(), "now")]
  mkdirSync(then)
  write(join(then, "note.txt"), "The blue bicycle is in the cellar.")
  await signIn(page, box)
  await follow(page, box, "Moving", then)
  await indexed(page, "note.txt")
  renameSync(then, now)
  await page.getByRole("button", { name: "Locate folder…" }).click()
  const dialog = page.getByRole("dialog", { name: "Locate folder on disk" })
  await dialog.getByLabel("Folder on this computer").fill(join(info.outputPath(), "nowhere"))
  await dialog.getByRole("button", { name: "Use this folder" }).click()
  await expect(dialog.getByText(/This path doesn't exist/)).toBeVisible()
  await dialog.getByLabel("Folder on this computer").fill(now)
  await dialog.getByRole("button", { name: "Use this folder" }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByText(/^Casella can’t find this folder on disk/)).toBeHidden()
  await indexed(page, "note.txt")
  await expect(page.getByText(`Watches ${now}`)).toBeVisible()
})
