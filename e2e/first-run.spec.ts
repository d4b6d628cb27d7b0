import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "@playwright/test"
import { ensureTestModel } from "../src/box/engines/llama/testing/test-models.ts"
import { startHubServer } from "../src/box/features/models/testing/hub-server.ts"
import { startModelServer } from "../src/box/testing/model-servers/model-server.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { expectAccessible } from "./expect-accessible.ts"
import { expect, test as onSharedBox } from "./page-test.ts"
import { startBox, type RunningBox } from "./running-box.ts"

/** Each test has a new box that has never been used. */
const test = onSharedBox.extend<{ fresh: RunningBox }>({
  fresh: async ({ boxFlags, page }, use) => {
    await using box = await startBox(...boxFlags)
    await use(box)
    await page.goto("about:blank") // a page that is still connecting would report that its box has stopped
  },
})

const welcome = (page: Page) => page.getByRole("heading", { name: "Ask your documents" })
const usual = (page: Page) => page.getByRole("heading", { name: "What would you like to know?" })
const getClient = (box: RunningBox) => createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })

/** Continues to the first question. Questions asked before the folder is chosen don't use it. */
async function askAboutThem(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Ask about them" }).click()
  await expect(page.getByRole("button", { name: /^Don’t answer from / })).toBeVisible()
}

test(
  "a first-time user gets a cited answer without a model and without instructions",
  { tag: "@screen/firstRun" },
  async ({ page, fresh }, info) => {
    const file = join(info.outputPath(), "lease.md")
    writeFileSync(file, "# Lease\n\nEither party may end the lease with six months' notice.\n")
    await page.goto(await fresh.signInLink())
    await expect(welcome(page)).toBeVisible()
    const broken = join(info.outputPath(), "broken.pdf")
    writeFileSync(broken, "%PDF-1.4 broken")
    await page.getByLabel("Files", { exact: true }).setInputFiles([file, broken])
    await expect(page.getByText("1 of 2 files ready. 1 file couldn’t be read.")).toBeVisible()
    await askAboutThem(page)

    await page.getByLabel("Message", { exact: true }).fill("How do I end the lease?")
    await page.keyboard.press("Enter")
    const answer = page.getByLabel("Answer", { exact: true })
    await expect(answer).toContainText("six months' notice")
    await answer
      .getByRole("button", { name: /^Source \d/ })
      .first()
      .click()
    await expect(page.getByRole("complementary", { name: "Document" }).locator("mark").first()).toBeVisible()

    await page.goto(`${fresh.url}/#/`)
    await expect(usual(page)).toBeVisible()
  },
)

test("the example answers when the user has no documents at hand", async ({ page, fresh }) => {
  await page.goto(await fresh.signInLink())
  await page.getByRole("button", { name: "Try it with an example" }).click()
  await expect(page.getByText("Where are my documents stored?")).toBeVisible()
  await askAboutThem(page)
  await page.getByLabel("Message", { exact: true }).fill("Where are my documents stored?")
  await page.keyboard.press("Enter")
  await expect(page.getByLabel("Answer", { exact: true })).toContainText("stored on this computer")
})

test("a user who skips isn't asked again, and can take the same steps later", async ({ page, fresh }) => {
  await page.goto(await fresh.signInLink())
  await page.getByRole("button", { name: "Skip" }).click()
  await expect(usual(page)).toBeVisible()
  await page.reload()
  await expect(usual(page)).toBeVisible()
  await expect(page.getByRole("link", { name: "New folder" }).first()).toBeVisible()
  await page.getByRole("link", { name: "Get a model" }).click()
  await expect(page.getByRole("heading", { name: "Get a model" })).toBeVisible()
})

test("a user who already has folders isn't asked", async ({ page, fresh }) => {
  await getClient(fresh).folders.create({ body: { name: "Notes" } })
  await page.goto(await fresh.signInLink())
  await expect(usual(page)).toBeVisible()
})

test("without a connection, the card shows why the download is stuck and offers to use a file", async ({
  page,
  fresh,
}) => {
  // Nothing listens there, so every server looks unreachable, as without a connection.
  await getClient(fresh).settings.update({ body: { modelMirror: "http://127.0.0.1:9" } })
  await page.goto(await fresh.signInLink())
  const card = page.getByRole("region", { name: "A model for this computer" })
  await card.getByRole("button", { name: /^Download \d/ }).click()
  await expect(card).toContainText("The server can't be reached.")
  await card.getByRole("button", { name: /^Use (a file|the one|one of)/ }).click()
  await page.getByLabel("File path").fill(ensureTestModel())
  await page.getByRole("button", { name: "Use this file" }).click()
  await expect(card).toContainText("is ready to answer")
})

test("an offline browser can't start a download, and nothing fails", async ({ page, fresh }) => {
  await page.goto(await fresh.signInLink())
  await expect(welcome(page)).toBeVisible()
  await page.addInitScript(() => Object.defineProperty(Navigator.prototype, "onLine", { get: () => false }))
  await page.reload()
  const card = page.getByRole("region", { name: "A model for this computer" })
  await expect(card).toContainText("models can’t be downloaded")
  await expect(card.getByRole("button", { name: /^Download \d/ })).toBeDisabled()
  await card.getByRole("button", { name: "Later" }).click()
  await expect(card).toContainText("in Settings › Get more models")
})

test("nothing is downloaded unasked; a requested download shows on the card and is used when complete", async ({
  page,
  fresh,
}) => {
  const model = readFileSync(ensureTestModel())
  await using hub = await startHubServer(model)
  const script = getClient(fresh)
  await script.settings.update({ body: { modelMirror: hub.url } })
  await page.goto(await fresh.signInLink())
  await expect(welcome(page)).toBeVisible()
  expect(hub.paths).toEqual([])
  const download = { repo: "someone/Small-GGUF", file: "small.gguf", use: true }
  await script.models.download({ body: download })
  await expect(page.getByRole("region", { name: "A model for this computer" })).toContainText(
    "is ready to answer",
  )
})

// Catches a server that can't be added on the first screen, an error that isn't shown, and unusable servers that are kept.
test("a server with a key writes the answers after its key and address are corrected", async ({
  page,
  fresh,
}) => {
  await using server = await startModelServer(() => ({ text: "From far away." }), { key: "sk-right" })
  await page.goto(await fresh.signInLink())
  const servers = async () => (await getClient(fresh).modelServers.list()).servers
  const card = page.getByRole("region", { name: "A model for this computer" })
  await card.getByRole("button", { name: "Use a server…" }).click()
  const dialog = page.getByRole("dialog")
  const address = dialog.getByLabel("Address")
  const key = dialog.getByLabel("API key")
  const connect = dialog.getByRole("button", { name: "Connect" })
  await expect(address).toBeFocused()
  await address.fill("nonsense")
  await connect.click()
  await expect(address).toHaveAttribute("aria-invalid", "true")
  await address.fill("http://127.0.0.1:9/v1")
  await connect.click()
  await expect(dialog).toContainText("can't be reached")
  await expect(address).toHaveAttribute("aria-invalid", "true")
  await address.fill(server.baseUrl)
  await key.fill("sk-wrong")
  await connect.click()
  await expect(key).toBeFocused()
  await expect(dialog).toContainText("rejected this key")
  await expect(address).toHaveAttribute("aria-invalid", "false")
  await expectAccessible(page, "a key that is refused")
  await dialog.getByRole("button", { name: "Cancel" }).click()
  await expect.poll(servers).toEqual([])

  await card.getByRole("button", { name: "Use a server…" }).click()
  await address.fill(server.baseUrl)
  await key.fill("sk-right")
  await page.keyboard.press("Enter")
  await expect(dialog.getByLabel("Model", { exact: true })).toBeFocused()
  await expectAccessible(page, "choosing a model of a server")
  await dialog.getByRole("button", { name: "Use this model" }).click()
  await expect(card).toContainText("canned is ready to answer")
  await expect(page.getByText("are sent to the model’s server")).toBeVisible()
  expect(await servers()).toMatchObject([{ state: "reachable", hasKey: true }])
  await page.getByRole("button", { name: "Skip" }).click()
  await page.getByLabel("Message", { exact: true }).fill("Where are you?")
  await page.keyboard.press("Enter")
  await expect(page.getByLabel("Answer", { exact: true })).toContainText("From far away.")
})

for (const colorScheme of ["light", "dark"] as const) {
  test(`the first screen has no serious fault in ${colorScheme}`, async ({ page, fresh }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
    const check = (state: string) => expectAccessible(page, state)
    await page.goto(await fresh.signInLink())
    await expect(page.getByRole("button", { name: /^Download \d/ })).toBeVisible()
    await check("asking")
    await page.getByRole("button", { name: /^Use (a file|the one|one of)/ }).click()
    const dialog = page.getByRole("dialog")
    await expect(dialog).toBeVisible()
    await check("using a file")
    await page.keyboard.press("Escape")
    await expect(dialog).toBeHidden()
    await page.getByRole("button", { name: "Try it with an example" }).click()
    await expect(page.getByRole("button", { name: "Ask about them" })).toBeEnabled()
    await page.mouse.move(0, 0)
    await check("reading")
  })
}
