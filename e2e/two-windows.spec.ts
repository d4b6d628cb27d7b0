import { startModelServer } from "../src/box/testing/model-servers/model-server.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { startBox } from "./running-box.ts"
import { expect, signIn, test } from "./page-test.ts"

// Catches progress shown only in the window that asked, a stop that only ends that window's view, and coverage that the other window shows
// only after a reload.
test("whole-document reading is followed and stopped from another window", async ({ page, box, context }) => {
  const gate = Promise.withResolvers<void>()
  await using model = await startModelServer(async () => {
    await gate.promise
    return { text: "The walrus sleeps [1]." }
  })
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  const { vector } = await client.folders.create({ body: { name: "Animals" } })
  const params = { id: vector.id }
  await client.files.upload({ params, file: new Blob(["The walrus sleeps."]), fileName: "walrus.md" })
  await expect
    .poll(async () =>
      (await client.files.list({ params })).files.every(({ status }) => status === "completed"),
    )
    .toBe(true)
  const { server } = await client.modelServers.add({ body: { name: "Told", url: model.baseUrl } })
  await client.models.choose({ body: { role: "chat", modelId: server.models[0]?.id ?? "" } })
  await signIn(page, box)
  await page.goto(`${box.url}/#/?folder=${vector.id}`)
  await page.getByLabel("Message", { exact: true }).fill("List all animals.")
  await page.keyboard.press("Enter")
  await expect(page).toHaveURL(/inter\/chat/)
  const other = await context.newPage()
  await other.goto(page.url())
  const windows = [page, other]
  for (const one of windows)
    await expect(one.getByRole("progressbar", { name: /^Reading \d of \d parts?$/ })).toBeVisible()

  await other.getByRole("button", { name: "Stop", exact: true }).first().click()
  for (const one of windows) {
    await expect(one.getByRole("progressbar")).toBeHidden()
    await expect(one.getByText(/^Partly read:/)).toBeVisible()
    await expect(one.getByRole("button", { name: "Stop", exact: true })).toBeHidden()
  }
  gate.resolve()
})

// Catches another window of the same user that shows an old name or pin until it is reloaded.
test("a rename or pin in another window appears here immediately", async ({ page }) => {
  await using box = await startBox() // a separate box, because the sidebar shows only the first few folders
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  await client.models.choose({ body: { role: "chat", modelId: null } })
  const { vector } = await client.folders.create({ body: { name: "Old folder" } })
  const { project } = await client.projects.create({ body: { name: "Old project" } })
  const { assistant } = await client.assistants.create({ body: { name: "Old assistant" } })
  const messages = [{ role: "user" as const, content: "Old chat" }]
  const asked = client.chat.send({
    body: { id: "renamed", messages, boxAddress: box.url, vector: [vector.id] },
  })
  for await (const event of asked) expect(event.type).not.toBe("error")
  await signIn(page, box)
  const sidebar = page.getByRole("navigation", { name: "Casella" })
  const row = (name: string) => sidebar.getByRole("link", { name, exact: true })
  await page.goto(`${box.url}/#/assistants`)
  for (const name of ["Old folder", "Old project", "Old chat"]) await expect(row(name)).toBeVisible()

  // Makes the changes as another window does.
  await client.assistants.update({ params: { id: assistant.id }, body: { name: "Renamed assistant" } })
  await expect(page.getByRole("main").getByRole("link", { name: /^Renamed assistant @/ })).toBeVisible()
  await client.folders.update({ params: { id: vector.id }, body: { name: "Renamed folder" } })
  await expect(row("Renamed folder")).toBeVisible()
  await client.projects.update({ params: { id: project.id }, body: { name: "Renamed project" } })
  await expect(row("Renamed project")).toBeVisible()
  await client.conversations.update({ params: { id: "renamed" }, body: { title: "Renamed chat" } })
  await expect(row("Renamed chat")).toBeVisible()
  await client.conversations.update({ params: { id: "renamed" }, body: { pinned: true } })
  await expect(sidebar.getByRole("heading", { name: "Pinned" })).toBeVisible()
})
