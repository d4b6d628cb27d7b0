import { ensureTestModel } from "../src/box/engines/llama/testing/test-models.ts"
import { expect, signIn, test } from "./page-test.ts"

test("a question asked without a model is kept, and answered when there is one", async ({ page, box }) => {
  await signIn(page, box)
  await page.getByLabel("Message", { exact: true }).fill("Greet me.")
  await page.keyboard.press("Enter")
  const waiting = page.getByRole("region", { name: "Queued questions" })
  await expect(waiting).toContainText("No model yet.")
  await expect(waiting.getByRole("listitem")).toContainText("Greet me.")
  await expect(page.getByLabel("Message", { exact: true })).toHaveValue("")

  await page.reload()
  await expect(waiting.getByRole("listitem")).toContainText("Greet me.")
  await waiting.getByRole("link", { name: "Models" }).click()
  await expect(page).toHaveURL(/settings\/models/)

  const headers = { "x-api-key": box.key, cookie: "" }
  const added = await page.request.post(`${box.url}/api/public/models`, {
    headers,
    data: { path: ensureTestModel() },
  })
  const { model } = (await added.json()) as { model: { id: string } }
  await page.request.put(`${box.url}/api/public/models/choice`, {
    headers,
    data: { role: "chat", modelId: model.id },
  })
  await page
    .getByRole("navigation", { name: "Settings" })
    .getByRole("link", { name: "Back", exact: true })
    .click()
  await expect(page.getByLabel("Answer", { exact: true })).toContainText("Hello from the scripted model.")
  await expect(waiting).toBeHidden()
})

test("without a model, a kept question is answered from a folder", async ({ page, box }) => {
  const headers = { "x-api-key": box.key, cookie: "" }
  await page.request.put(`${box.url}/api/public/models/choice`, {
    headers,
    data: { role: "chat", modelId: null },
  })
  const made = await page.request.post(`${box.url}/api/public/vectors`, { headers, data: { name: "Empty" } })
  expect(made.status()).toBe(201)
  await signIn(page, box)
  // A user whose last question had no folder continues without one.
  await page.evaluate(`localStorage.setItem("last-folders", "")`)
  await page.getByLabel("Message", { exact: true }).fill("What does the folder say?")
  await page.keyboard.press("Enter")
  const waiting = page.getByRole("region", { name: "Queued questions" })
  await expect(waiting).toContainText("Choose a folder")
  await page.getByRole("main").getByRole("button", { name: "Folders", exact: true }).click()
  await page.getByRole("checkbox", { name: "Empty" }).check()
  await page.keyboard.press("Escape")
  await waiting.getByRole("button", { name: "Answer now with quotes from the selected folders" }).click()
  await expect(page.getByLabel("Answer", { exact: true })).toContainText("I found nothing about this")
})
