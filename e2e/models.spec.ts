import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { engineVersion } from "../src/box/engines/llama/computer.ts"
import { ensureTestModel } from "../src/box/engines/llama/testing/test-models.ts"
import { startHubServer } from "../src/box/features/models/testing/hub-server.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { expect, signIn, test } from "./page-test.ts"
import { startBox } from "./running-box.ts"

const model = ensureTestModel()

test(
  "a model file is added by its path, chosen, used and removed",
  { tag: ["@screen/models", "@screen/installedModels", "@screen/moreModels"] },
  async ({ page, box }) => {
    await signIn(page, box)
    await page.getByRole("link", { name: "Get a model" }).click()
    const settings = page.getByRole("navigation", { name: "Settings" })
    await settings.getByRole("link", { name: "Models on this computer" }).click()

    const path = page.getByLabel("File path")
    await path.fill(`${model}.missing.gguf`)
    await page.getByRole("button", { name: "Add file" }).click()
    await expect(path).toHaveAttribute("aria-invalid", "true")
    await expect(path).toHaveValue(`${model}.missing.gguf`)

    await path.fill(model)
    await page.keyboard.press("Enter")
    const row = page.getByRole("list", { name: "Your models" }).getByRole("listitem")
    await expect(row).toContainText(model)
    await expect(path).toHaveValue("")
    // The first model is chosen automatically.
    await expect(row).toContainText("In use")
    await settings.getByRole("link", { name: "Models in use" }).click()
    const facts = page.getByRole("main")
    await expect(facts.getByText(/^\d+ writing, up to \d+ reading$/)).toBeVisible()
    await expect(facts.getByText("Built for processors with", { exact: true })).toBeVisible()

    await settings.getByRole("link", { name: "Back", exact: true }).click()
    await page.getByLabel("Message", { exact: true }).fill("Greet me.")
    await page.keyboard.press("Enter")
    await expect(page.getByLabel("Answer", { exact: true })).toContainText("Hello from the scripted model.")

    await page.goto(`${box.url}/#/settings/models/installed`)
    await expect(row.getByRole("button", { name: /^Delete|^Options/ })).toHaveCount(1)
    await expect(row.getByRole("button", { name: /^Remove/ })).toHaveCount(0)
    await settings.getByRole("link", { name: "Models in use" }).click()
    await page.getByLabel("Use as chat model").selectOption("None")
    await settings.getByRole("link", { name: "Models on this computer" }).click()
    await row.getByRole("button", { name: /^Remove/ }).click()
    await expect(page.getByRole("alertdialog")).toContainText("The file stays where it is")
    await page.getByRole("alertdialog").getByRole("button", { name: "Remove from list" }).click()
    await expect(row).toBeHidden()
    await settings.getByRole("link", { name: "Back", exact: true }).click()
    await expect(page.getByRole("button", { name: "No model" })).toBeVisible()
  },
)

test("a download shows its requirements first, and nothing is fetched when it is declined", async ({
  page,
  box,
}) => {
  await signIn(page, box)
  await page.goto(`${box.url}/#/settings/models/more`)
  await page
    .getByRole("button", { name: /^Download (?!file)/ })
    .first()
    .click()
  const consent = page.getByRole("dialog")
  await expect(consent).toContainText("Licence")
  await expect(consent).toContainText("free")
  await consent.getByRole("button", { name: "Cancel" }).click()
  await expect(page.getByRole("list", { name: "Downloads" })).toBeHidden()
})

test("a download started by a script shows live progress, is used and leaves the list", async ({
  page,
  box,
}) => {
  await using hub = await startHubServer(readFileSync(model))
  const script = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  await script.settings.update({ body: { modelMirror: hub.url } })
  await signIn(page, box)
  await page.goto(`${box.url}/#/settings/models/more`)
  await expect(page.getByRole("heading", { name: "Get a model" })).toBeVisible()

  await script.models.download({ body: { repo: "someone/Small-GGUF", file: "small.gguf" } })
  const download = page.getByRole("list", { name: "Downloads" }).getByRole("listitem")
  await expect(download).toContainText("Downloaded and verified")
  await download.getByRole("button", { name: "Use" }).click()
  await expect(download).toBeHidden()
  const settings = page.getByRole("navigation", { name: "Settings" })
  await settings.getByRole("link", { name: "Models on this computer" }).click()
  const row = page.getByRole("list", { name: "Your models" }).getByRole("listitem")
  await expect(row).toContainText("In use")

  await settings.getByRole("link", { name: "Models in use" }).click()
  await page.getByLabel("Use as chat model").selectOption("None")
  await settings.getByRole("link", { name: "Models on this computer" }).click()
  await row.getByRole("button", { name: /^Delete/ }).click()
  await expect(page.getByRole("alertdialog")).toContainText("will be deleted from this computer")
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click()
  await expect(row).toBeHidden()
})

test("any file of a repository is downloaded by its copied address from a mirror set on the page", async ({
  page,
  box,
}) => {
  await using hub = await startHubServer(readFileSync(model))
  await signIn(page, box)
  await page.goto(`${box.url}/#/settings/models/more`)
  const mirror = page.getByLabel("Address", { exact: true })
  const save = page.locator("form").filter({ has: mirror }).getByRole("button", { name: "Save" })
  await mirror.fill("ftp://mirror.example")
  await save.click()
  await expect(mirror).toHaveAttribute("aria-invalid", "true")
  await mirror.fill(hub.url)
  await save.click()
  await expect(page.getByText("Models will be downloaded from")).toBeVisible()

  const repo = page.getByLabel("Model name or address")
  await repo.fill("https://elsewhere.example/a/b/resolve/main/x.gguf")
  await expect(page.getByText("Casella can only download files from Hugging Face")).toBeVisible()
  await repo.fill("https://huggingface.co/someone/Pasted-GGUF/blob/main/pasted.gguf")
  await expect(repo).toHaveValue("someone/Pasted-GGUF")
  await expect(page.getByLabel("File", { exact: true })).toHaveValue("pasted.gguf")
  await page.getByRole("button", { name: "Download file" }).click()
  const download = page.getByRole("list", { name: "Downloads" }).getByRole("listitem")
  await expect(download).toContainText("Downloaded and verified")
  expect(hub.paths).toEqual(["/someone/Pasted-GGUF/resolve/main/pasted.gguf"])
})

// Catches a graphics card that can be retried only by finding and deleting one of the box's files.
test("a button retries a graphics card that failed", async ({ page }) => {
  await using box = await startBox()
  await box.kill()
  const failed = { version: engineVersion, result: "failed", memoryBytes: 0, at: Date.now() }
  writeFileSync(join(box.dataDir, "gpu.json"), JSON.stringify(failed))
  await box.restart()
  const script = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  const added = await script.models.add({ body: { path: model } })
  await script.models.choose({ body: { role: "chat", modelId: added.model.id } })
  await signIn(page, box)
  await page.goto(`${box.url}/#/settings/models`)
  await expect(page.getByText("The graphics driver failed during a test")).toBeVisible()
  await page.getByRole("button", { name: "Try again" }).click()
  await expect(page.getByText("will try the graphics card again when a model is next loaded")).toBeVisible()
  await expect(page.getByText("The graphics driver failed during a test")).toHaveCount(0)
})
