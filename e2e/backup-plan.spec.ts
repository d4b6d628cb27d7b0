import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expectAccessible } from "./expect-accessible.ts"
import { startBox } from "./running-box.ts"
import { expect, signIn, test } from "./page-test.ts"

// Catches backups that need a reminder, a schedule that isn't saved, and invalid input that loses what was typed.
test("backups are scheduled on the page, created, shown, and stopped", async ({ page }) => {
  await using box = await startBox()
  const directory = mkdtempSync(join(tmpdir(), "casella-e2e-backups-"))
  await signIn(page, box)
  await page.goto(`${box.url}/#/settings/backup`)
  const often = page.getByLabel("Frequency")
  await expect(page.getByRole("button", { name: "Save", exact: true })).toBeDisabled()
  await often.selectOption("Every week at…")
  await page.getByLabel("Day").selectOption("Friday")
  await page.getByLabel("Time").fill("22:15")
  await page.getByLabel("Folder").fill("/nowhere/at/all")
  await page.getByLabel("Backups to keep").fill("3")
  await page.getByRole("button", { name: "Save", exact: true }).click()
  await expect(page.getByLabel("Folder")).toHaveAttribute("aria-invalid", "true")
  await expect(page.getByText("This folder doesn't exist.")).toBeVisible()
  await expect(page.getByLabel("Time")).toHaveValue("22:15")
  await page.getByLabel("Folder").fill(directory)
  await page.keyboard.press("Enter")
  await expect(page.getByText("Schedule saved")).toBeVisible()
  await expect(page.getByText(/^Next: .*(22|10):15/)).toBeVisible()
  expect(readdirSync(directory)).toEqual([])

  await often.selectOption("Every day that Casella runs")
  await page.getByRole("button", { name: "Save", exact: true }).click()
  await expect(page.getByText(/^Last: /)).toBeVisible()
  await expectAccessible(page, "a plan with its last backup")
  const [name = "", ...more] = readdirSync(directory)
  expect(more).toEqual([])
  await expect(page.getByText(join(directory, name))).toBeVisible()
  await page.reload()
  await expect(page.getByLabel("Backups to keep")).toHaveValue("3")

  await often.selectOption("Never")
  await page.getByRole("button", { name: "Save", exact: true }).click()
  await expect(page.getByText(/^Next: /)).toHaveCount(0)
  expect(readdirSync(directory)).toEqual([name])
  rmSync(directory, { recursive: true })
})
