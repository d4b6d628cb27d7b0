import { ensureTestModel } from "../src/box/engines/llama/testing/test-models.ts"
import { expect, signIn, test } from "./page-test.ts"

const model = ensureTestModel()

test("a file is added by its path, chosen, asked and forgotten", async ({ page, box }) => {
  await signIn(page, box)
  await page.getByRole("link", { name: "Get a model" }).click()

  const path = page.getByLabel("Path of the file")
  await path.fill(`${model}.missing.gguf`)
  await page.getByRole("button", { name: "Add file" }).click()
  await expect(path).toHaveAttribute("aria-invalid", "true")
  await expect(path).toHaveValue(`${model}.missing.gguf`)

  await path.fill(model)
  await page.keyboard.press("Enter")
  const row = page.getByRole("list", { name: "Your models" }).getByRole("listitem")
  await expect(row).toContainText(model)
  await expect(path).toHaveValue("")
  await page.getByLabel("Use as chat model").selectOption({ index: 1 })
  await expect(row).toContainText("In use")

  await page.getByRole("link", { name: "New chat" }).click()
  await page.getByLabel("Message", { exact: true }).fill("Greet me.")
  await page.keyboard.press("Enter")
  await expect(page.getByLabel("Answer", { exact: true })).toContainText("Hello from the scripted model.")

  await page.goto(`${box.url}/#/settings/models`)
  await expect(row.getByRole("button")).toHaveCount(0)
  await page.getByLabel("Use as chat model").selectOption("None")
  await row.getByRole("button", { name: /^Forget/ }).click()
  await expect(page.getByRole("alertdialog")).toContainText("The file stays where it is")
  await page.getByRole("alertdialog").getByRole("button", { name: "Forget" }).click()
  await expect(row).toBeHidden()
  await expect(page.getByRole("link", { name: "No model" })).toBeVisible()
})

test("a download is asked for with what it takes, and nothing is fetched when declined", async ({
  page,
  box,
}) => {
  await signIn(page, box)
  await page.goto(`${box.url}/#/settings/models`)
  await page
    .getByRole("button", { name: /^Download / })
    .first()
    .click()
  const consent = page.getByRole("dialog")
  await expect(consent).toContainText("Licence")
  await expect(consent).toContainText("free")
  await consent.getByRole("button", { name: "Cancel" }).click()
  await expect(page.getByRole("list", { name: "Downloads" })).toBeHidden()
})
