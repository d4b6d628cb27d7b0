import type { Page } from "@playwright/test"
import { ensureTestModel } from "../src/box/engines/llama/testing/test-models.ts"
import { startModelServer } from "../src/box/testing/model-servers/model-server.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { expectAccessible } from "./expect-accessible.ts"
import { startBox, type RunningBox } from "./running-box.ts"
import { expect, signIn, test } from "./page-test.ts"

const getClient = (box: RunningBox) => createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })

async function openSettings(page: Page, box: RunningBox, part: "installed" | "servers"): Promise<void> {
  await signIn(page, box)
  await page.goto(`${box.url}/#/settings/models/${part}`)
}

// Catches costs that don't follow the input, an error that isn't shown, and changes that are discarded without asking.
test("a model's options are set with their costs shown, and aren't lost by accident", async ({ page }) => {
  await using box = await startBox()
  const client = getClient(box)
  const { model } = await client.models.add({
    body: { path: ensureTestModel({ contextSize: 4096, reply: "Yes." }) },
  })
  await openSettings(page, box, "installed")
  const opener = page.getByRole("button", { name: /^Options for/ })
  await opener.click()
  const dialog = page.getByRole("dialog")
  const context = dialog.getByLabel("Context length (tokens)")
  await expect(context).toBeFocused()
  await expect(dialog).toContainText("4,096 tokens each for 4 chats at once")
  await expect(dialog.getByRole("button", { name: "Save options" })).toBeDisabled()
  await context.fill("1024")
  await expect(dialog).toContainText("1,024 tokens each for 4 chats at once")

  await context.fill("9999")
  await dialog.getByRole("button", { name: "Save options" }).click()
  await expect(context).toHaveAttribute("aria-invalid", "true")
  await expect(context).toBeFocused()
  await expect(dialog).toContainText("the context window of this model can have 4,096 tokens at most.")
  await context.fill("many")
  await page.keyboard.press("Enter")
  await expect(dialog).toContainText("Enter a number.")
  await context.fill("1024")
  await dialog.getByLabel("Temperature").fill("0.3")
  await dialog.getByLabel("Unload when idle").selectOption("Never")

  const question = page.getByRole("alertdialog")
  await page.keyboard.press("Escape")
  await expect(question).toContainText("Discard the changes?")
  await question.getByRole("button", { name: "Cancel" }).click()
  await expect(context).toHaveValue("1024")
  await page.evaluate("history.back()")
  await expect(question.getByRole("button", { name: "Cancel" })).toBeFocused()
  // A key pressed at the moment of the focus may arrive before the window listens.
  await expect(async () => {
    await page.keyboard.press("Escape")
    await expect(question).toBeHidden({ timeout: 2_000 })
  }).toPass()
  await expect(context).toHaveValue("1024")
  await dialog.getByRole("button", { name: "Save options" }).click()
  await expect(dialog).toBeHidden()
  await expect(opener).toBeFocused()
  const read = async () => (await client.modelOptions.read({ params: { modelId: model.id } })).options
  expect(await read()).toMatchObject({ contextSize: 1024, temperature: 0.3, unloadAfterMinutes: null })

  await opener.click()
  await expect(dialog.getByLabel("Temperature")).toHaveValue("0.3")
  await dialog.getByRole("button", { name: "Reset to model defaults" }).click()
  await expect(context).toHaveValue("")
  await dialog.getByRole("button", { name: "Save options" }).click()
  await expect(dialog).toBeHidden()
  expect(await read()).toMatchObject({ contextSize: null, temperature: null, unloadAfterMinutes: 30 })
})

// Catches options of a server model that the page doesn't offer, or that aren't sent to the server.
test("a server model has its options", async ({ page }) => {
  await using server = await startModelServer(() => ({ text: "In the harbour." }))
  await using box = await startBox()
  await getClient(box).modelServers.add({ body: { name: "Far away", url: server.baseUrl } })
  await openSettings(page, box, "servers")
  const opener = page.getByRole("button", { name: "Models of Far away" })
  await opener.click()
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /canned/ })
    .click()
  const dialog = page.getByRole("dialog", { name: "Options for canned" })
  await expect(dialog.getByLabel("Runs on")).toHaveCount(0)
  await dialog.getByLabel("Temperature").fill("0.4")
  await dialog.getByRole("combobox", { name: "Thinking" }).selectOption("Off")
  await expect(dialog.getByLabel("Thinking limit (tokens)")).toBeDisabled()
  await dialog.getByLabel("Images").selectOption("Supported")
  await dialog.getByRole("button", { name: "Save options" }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByRole("dialog").getByRole("button", { name: /canned/ })).toBeFocused()
  await page.keyboard.press("Escape")
  await expect(opener).toBeFocused()

  await page.goto(`${box.url}/#/settings/models`)
  await page.getByLabel("Use as chat model").selectOption("canned")
  await page.getByRole("button", { name: "Options…" }).click()
  await expect(dialog.getByLabel("Temperature")).toHaveValue("0.4")
  await page.keyboard.press("Escape")
  await page.goto(`${box.url}/#/`)
  await page.getByLabel("Message", { exact: true }).fill("Where does the walrus sleep?")
  await page.keyboard.press("Enter")
  await expect(page.getByLabel("Answer", { exact: true })).toContainText("In the harbour")
  expect(server.requests).toMatchObject([{ temperature: 0.4, reasoning_effort: "none" }])
})

for (const colorScheme of ["light", "dark"] as const) {
  test(`options are accessible in ${colorScheme}`, async ({ page }) => {
    await using server = await startModelServer(() => ({ text: "Yes." }))
    await using box = await startBox()
    await getClient(box).modelServers.add({ body: { name: "Far away", url: server.baseUrl } })
    await getClient(box).models.add({ body: { path: ensureTestModel() } })
    await page.emulateMedia({ colorScheme })
    await signIn(page, box)
    for (const [part, name] of [
      ["installed", /^Options for/],
      ["servers", "Models of Far away"],
    ] as const) {
      await page.goto(`${box.url}/#/settings/models/${part}`)
      await page.getByRole("button", { name }).click()
      await expect(page.getByRole("dialog")).toBeVisible()
      await page.evaluate(`Promise.allSettled(document.getAnimations().map(({ finished }) => finished))`)
      await expectAccessible(page)
      await page.keyboard.press("Escape")
      await expect(page.getByRole("dialog")).toBeHidden()
    }
  })
}
