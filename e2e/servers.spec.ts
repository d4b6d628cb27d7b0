import { ensureTestModel } from "../src/box/engines/llama/testing/test-models.ts"
import { startModelServer, type ModelServer } from "../src/box/testing/model-servers/model-server.ts"
import { callTool, connectMcp } from "../src/box/testing/clients.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { expectAccessible } from "./expect-accessible.ts"
import { startBox, type RunningBox } from "./running-box.ts"
import { expect, signIn, test } from "./page-test.ts"

/** Written like the address of another computer, but the system routes it to this one. */
const remoteUrl = (model: ModelServer) => model.baseUrl.replace("127.0.0.1", "0.0.0.0")

const getClient = (box: RunningBox) => createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })

async function makeFolder(box: RunningBox): Promise<string> {
  const client = getClient(box)
  const { vector } = await client.folders.create({ body: { name: "Handbook" } })
  const file = new Blob(["The walrus sleeps in the harbour at noon."])
  await client.files.upload({ params: { id: vector.id }, file, fileName: "walrus.txt" })
  await expect
    .poll(async () => (await client.files.list({ params: { id: vector.id } })).files[0]?.status, {
      timeout: 30_000,
    })
    .toBe("completed")
  return vector.id
}

// Catches a server that can't be added or chosen, folder content sent to it without notice or against the setting, and a document that
// local programs can't find.
test(
  "a server answers from a folder, which is then kept local",
  { tag: "@screen/modelServers" },
  async ({ page }) => {
    await using model = await startModelServer(() => ({ text: "In the harbour [1]." }))
    await using box = await startBox()
    const folder = await makeFolder(box)
    await signIn(page, box)
    await page.goto(`${box.url}/#/settings/models/servers`)
    await page.getByRole("button", { name: "Add server" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Name", { exact: true }).fill("Far away")
    await dialog.getByLabel("Address").fill("nonsense")
    await dialog.getByRole("button", { name: "Add server" }).click()
    await expect(dialog.getByLabel("Address")).toHaveAttribute("aria-invalid", "true")
    await expect(
      dialog.getByText("Must be a full address that starts with http:// or https://"),
    ).toBeVisible()
    await dialog.getByLabel("Address").fill(remoteUrl(model))
    await dialog.getByLabel("Key").fill("sk-secret")
    await dialog.getByRole("button", { name: "Add server" }).click()
    const row = page.getByRole("list", { name: "Model servers" }).getByRole("listitem")
    await expect(row).toContainText("Reachable")
    await expect(row).toContainText("with a key")
    await expect(page.locator("body")).not.toContainText("sk-secret")
    await page
      .getByRole("navigation", { name: "Settings" })
      .getByRole("link", { name: "Models in use" })
      .click()
    await expect(page.getByLabel("Use as chat model").locator("option:checked")).toHaveText("canned")

    await page.goto(`${box.url}/#/?folder=${folder}`)
    const { host } = new URL(remoteUrl(model))
    await expect(
      page.getByText(`Passages from Handbook will be sent to ${host}, where canned runs.`),
    ).toBeVisible()
    const message = page.getByLabel("Message", { exact: true })
    await message.fill("Where does the walrus sleep?")
    await page.keyboard.press("Enter")
    await expect(page.getByLabel("Answer", { exact: true })).toContainText("In the harbour")
    expect(model.requests).toHaveLength(1)
    await page.goto(`${box.url}/#/settings/privacy`)
    await expect(page.getByRole("region", { name: "What left this computer" })).toContainText(host)
    const connections = await page
      .getByRole("region", { name: "What left this computer" })
      .getByText(host)
      .count()

    await page.goto(`${box.url}/#/dc/vector/${folder}`)
    await page.getByRole("button", { name: "Folder actions" }).click()
    await page.getByRole("menuitem", { name: "Settings" }).click()
    await dialog.getByLabel("Remote models").selectOption("Never: keep on this computer")
    await dialog.getByRole("button", { name: "Save" }).click()
    await expect(dialog).toBeHidden()
    await page.goto(`${box.url}/#/?folder=${folder}`)
    await expect(page.getByText("Handbook stays on this computer, so canned won’t answer.")).toBeVisible()
    await expect(page.getByRole("button", { name: /^Answer with / })).toHaveCount(0)
    await message.fill("Where does the walrus sleep?")
    await page.keyboard.press("Enter")
    await expect(page.getByText(/wasn.t asked/)).toBeVisible()
    await expect(page.getByLabel("Answer", { exact: true })).toContainText("The walrus sleeps in the harbour")
    expect(model.requests).toHaveLength(1)
    await page.goto(`${box.url}/#/settings/privacy`)
    const left = page.getByRole("region", { name: "What left this computer" })
    await expect(left.getByText(host)).toHaveCount(connections)

    // A coding program with a read-only key still gets the document, because it is on this computer.
    const { key } = await getClient(box).keys.create({ body: { name: "Editor", scopes: ["read-only"] } })
    const { client } = await connectMcp(box.url, { "x-api-key": key })
    const found = await callTool(client, "search", { query: "Where does the walrus sleep?" })
    expect(found.text).toContain("walrus.txt")
    expect(found.text).toContain("sleeps in the harbour at noon")
    await client.close()
    expect(model.requests).toHaveLength(1)

    const path = ensureTestModel({ reply: "At noon." })
    const { model: local } = await getClient(box).models.add({ body: { path } })
    await page.goto("about:blank")
    await page.goto(`${box.url}/#/?folder=${folder}`)
    await page.getByRole("button", { name: `Answer with ${local.name}` }).click()
    await expect(page.getByText("stays on this computer")).toHaveCount(0)
    await message.fill("When does the walrus sleep?")
    await page.keyboard.press("Enter")
    await expect(page.getByLabel("Answer", { exact: true })).toContainText("At noon.")
    expect(model.requests).toHaveLength(1)
  },
)

// Catches a model chosen for one chat that is forgotten, or that answers without its name.
test("a chat names the model that answers it", async ({ page }) => {
  await using one = await startModelServer(() => ({ text: "I am the one." }))
  await using other = await startModelServer(() => ({ text: "I am the other." }))
  await using box = await startBox("--model", one.baseUrl)
  await getClient(box).modelServers.add({ body: { name: "Other", url: other.baseUrl } })
  await signIn(page, box)
  await page.goto(`${box.url}/#/`)
  await page.getByRole("button", { name: "Choose a model" }).click()
  const list = page.getByRole("listbox", { name: "Models" })
  await list.getByRole("option", { name: /Other/ }).click()
  await expect(page.getByRole("button", { name: "canned answers" })).toBeVisible()
  await page.getByLabel("Message", { exact: true }).fill("Who are you?")
  await page.keyboard.press("Enter")
  await expect(page.getByLabel("Answer", { exact: true })).toContainText("I am the other.")
  await page.reload()
  await expect(page.getByRole("button", { name: "canned answers" })).toBeVisible()
})

// Catches reasoning that is part of the answer, or that can't be read.
test("a model's reasoning is folded above its answer", async ({ page }) => {
  await using one = await startModelServer(() => ({ thought: "It sleeps at noon.", text: "At noon." }))
  await using box = await startBox("--model", one.baseUrl)
  await signIn(page, box)
  await page.getByLabel("Message", { exact: true }).fill("When does the walrus sleep?")
  await page.keyboard.press("Enter")
  const answer = page.getByLabel("Answer", { exact: true })
  await expect(answer).toContainText("At noon.")
  await expect(answer).not.toContainText("It sleeps at noon.")
  await answer.getByText("Thought").click()
  await expect(answer).toContainText("It sleeps at noon.")
})

// Catches dots without text while a server keeps the user waiting.
test("a wait for a silent server is described and can be stopped", async ({ page }) => {
  await using one = await startModelServer(() => ({ unended: true }))
  await using box = await startBox("--model", one.baseUrl)
  await signIn(page, box)
  await page.getByLabel("Message", { exact: true }).fill("When does the walrus sleep?")
  await page.keyboard.press("Enter")
  const answer = page.getByLabel("Answer", { exact: true })
  await expect(answer.getByText("Waiting for the model…")).toBeVisible()
  await page.getByRole("button", { name: "Stop", exact: true }).click()
  await expect(answer).toContainText("Stopped.")
})

// Catches a switch that needs the pointer, loses the draft, or sends it while the list opens.
test("two keys change the answering model and change it back", async ({ page }) => {
  await using one = await startModelServer(() => ({ text: "I am the one." }))
  await using other = await startModelServer(() => ({ text: "I am the other." }))
  await using box = await startBox("--model", one.baseUrl)
  await getClient(box).modelServers.add({ body: { name: "Other", url: other.baseUrl } })
  await signIn(page, box)
  const message = page.getByLabel("Message", { exact: true })
  const list = page.getByRole("listbox", { name: "Models" })
  const named = page.getByRole("button", { name: "canned answers" })
  await message.fill("Who are you?")
  await page.keyboard.press("ControlOrMeta+;")
  await expect(page.getByRole("combobox", { name: "Find a model" })).toBeFocused()
  await page.keyboard.press("Enter")
  await expect(named).toBeVisible()
  await expect(message).toBeFocused()
  await expect(message).toHaveValue("Who are you?")
  await page.keyboard.press("ControlOrMeta+;")
  await expect(page.getByRole("combobox", { name: "Find a model" })).toBeFocused()
  await page.keyboard.press("Enter")
  await expect(named).toHaveCount(0)

  await page.keyboard.press("ControlOrMeta+;")
  await expect(page.getByRole("combobox", { name: "Find a model" })).toBeFocused()
  await page.keyboard.type("nobody")
  await expect(page.getByText("No models match")).toBeVisible()
  await page.getByRole("combobox", { name: "Find a model" }).fill("oth")
  await expect(list.getByRole("option")).toHaveCount(1)
  await page.keyboard.press("Enter")
  await expect(named).toBeVisible()
  await page.keyboard.press("ControlOrMeta+;")
  await expect(list.getByRole("option")).toHaveCount(3)
  await expect(page.getByRole("combobox", { name: "Find a model" })).toBeFocused()
  await expectAccessible(page)
  await page.keyboard.press("ArrowDown")
  await page.keyboard.press("Escape")
  await expect(named).toBeVisible()
  await expect(message).toBeFocused()
  await page.keyboard.press("Enter")
  await expect(page.getByLabel("Answer", { exact: true })).toContainText("I am the other.")
})

for (const colorScheme of ["light", "dark"] as const) {
  test(`servers are accessible in ${colorScheme}`, async ({ page }) => {
    await using model = await startModelServer(() => ({ text: "Yes." }))
    await using box = await startBox()
    await getClient(box).modelServers.add({ body: { name: "Far away", url: model.baseUrl, apiKey: "wrong" } })
    await getClient(box).modelServers.add({ body: { name: "Gone", url: "http://127.0.0.1:9/v1" } })
    await page.emulateMedia({ colorScheme })
    await signIn(page, box)
    await page.goto(`${box.url}/#/settings/models/servers`)
    await expect(page.getByRole("list", { name: "Model servers" })).toContainText("Unreachable")
    await expectAccessible(page)
    await page.getByRole("button", { name: "Add server" }).click()
    await expect(page.getByRole("dialog")).toBeVisible()
    await page.evaluate(`Promise.allSettled(document.getAnimations().map(({ finished }) => finished))`)
    await expectAccessible(page)
  })
}
