import { startModelServer } from "../src/box/testing/model-servers/model-server.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { expect, signIn, test } from "./page-test.ts"

// Would catch progress that only the window shows that asked, a stop that only ends its own view, and coverage that the other
// window lacks until it is loaded anew.
test("a whole reading is followed and stopped from another window", async ({ page, box, context }) => {
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
    await expect(one.getByText(/^Not all was read:/)).toBeVisible()
    await expect(one.getByRole("button", { name: "Stop", exact: true })).toBeHidden()
  }
  gate.resolve()
})
