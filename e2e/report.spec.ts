import { readFileSync } from "node:fs"
import { languageCodes } from "../src/shared/languages.ts"
import { expectAccessible } from "./expect-accessible.ts"
import { expect, signIn, test } from "./page-test.ts"
import { say } from "./page-strings.ts"

// Catches a report that can't be shared without a support service, and redacted or hostile content in it.
test(
  "without a support service a report is saved as a file, copied, and kept",
  { tag: ["@screen/support", "@screen/newReport"] },
  async ({ page, box, context }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"])
    await signIn(page, box)
    await page.keyboard.press("F1")
    const dialog = page.getByRole("dialog", { name: "Report a problem" })
    await expect(dialog).toContainText("Save the report as a file or copy it")
    await dialog.getByRole("button", { name: "Copy" }).click()
    await expect(dialog.getByText("Enter at least 3 characters.")).toBeVisible()
    await dialog.getByLabel("Summary").fill("Search forgets <b>my</b> folder")
    await dialog.getByLabel("What happened?").fill("After a restart.")
    await expectAccessible(page, "dialog")

    await dialog.getByRole("button", { name: "Copy" }).click()
    await expect(page.getByText("Copied")).toBeVisible()
    const copied = await page.evaluate<string>("navigator.clipboard.readText()")
    expect(copied).toContain("After a restart.")
    expect(copied).toMatch(/Casella \d/)

    const saved = page.waitForEvent("download")
    await dialog.getByRole("button", { name: "Save as file" }).click()
    const download = await saved
    expect(download.suggestedFilename()).toMatch(/^Search forgets .*\.html$/)
    const text = readFileSync(await download.path(), "utf8")
    expect(text).toContain("&lt;b&gt;my&lt;/b&gt;")
    expect(text).toContain("After a restart.")

    await dialog.getByRole("button", { name: "Keep here" }).click()
    await expect(dialog).toBeHidden()
  },
)

// Catches an error or a window from which no report can be started, and a report without the error's message.
test("a report is started from an error, and over another window", async ({ page, box }) => {
  await signIn(page, box)
  await page.route("**/api/public/support/tickets*", (route) =>
    route.fulfill({
      status: 500,
      json: { success: false, error: { code: "internal_error", message: "The disk is full." } },
    }),
  )
  await page.goto(`${box.url}/#/settings/support`)
  const error = page.getByRole("alert").filter({ hasText: /./ }).first()
  await expect(error).toBeVisible()
  const said = await error.locator("[data-said]").innerText()
  await error.getByRole("button", { name: "Report a problem" }).click()
  const dialog = page.getByRole("dialog", { name: "Report a problem" })
  await expect(dialog.getByLabel("Summary")).toHaveValue(said)
  await expect(dialog.getByLabel("What happened?")).toHaveValue(said)
  await page.keyboard.press("Escape")
  await expect(dialog).toBeHidden()
  await expect(error.getByRole("button", { name: "Report a problem" })).toBeFocused()

  await page.unrouteAll()
  await page.goto(`${box.url}/#/dc?new`)
  await expect(page.getByRole("dialog")).toBeVisible()
  await page.keyboard.press("F1")
  await expect(dialog).toBeVisible()
  await dialog.getByLabel("Summary").fill("Typed over another window")
  await expect(dialog.getByLabel("Summary")).toHaveValue("Typed over another window")
})

for (const language of languageCodes) {
  // Catches a second name for the same thing, and a command that opens nothing.
  test(`the palette opens it under its one name, in ${language}`, async ({ page, box }) => {
    const name = say(language, "frame:reportProblem")
    await signIn(page, box)
    await page.evaluate(`localStorage.setItem("language", "${language}")`)
    await page.reload()
    await expect(page.getByRole("main")).toBeVisible()
    await page.keyboard.press("ControlOrMeta+k")
    await page.getByRole("combobox").fill(name)
    await expect(page.getByRole("option").first()).toContainText("F1")
    await page.keyboard.press("Enter")
    await expect(page.getByRole("dialog", { name })).toBeVisible()
    await expectAccessible(page, `report-${language}`)
  })
}
