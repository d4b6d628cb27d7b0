import { readFile } from "node:fs/promises"
import { startModelServer, type ModelServer } from "../src/box/testing/model-servers/model-server.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { expectAccessible } from "./expect-accessible.ts"
import { startBox, type RunningBox } from "./running-box.ts"
import { expect, signIn, test } from "./page-test.ts"

/** Written like the address of another computer, but the system routes it to this one. */
const remoteUrl = (model: ModelServer) => model.baseUrl.replace("127.0.0.1", "0.0.0.0")

async function ask(box: RunningBox, id: string): Promise<void> {
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  const messages = [{ role: "user" as const, content: "What is two and two?" }]
  for await (const event of client.chat.send({ body: { id, messages, boxAddress: box.url } }))
    if (event.type === "finish") break
}

// Catches a switch that isn't saved, a list that misses a connection, and one that can't be exported or cleared.
test(
  "outgoing connections are listed, blocked, exported and cleared",
  { tag: "@screen/privacy" },
  async ({ page }) => {
    await using model = await startModelServer(() => ({ text: "Four." }))
    await using box = await startBox("--model", remoteUrl(model))
    await signIn(page, box)
    await page.goto(`${box.url}/#/settings/privacy`)
    await expect(page.getByText("Nothing has left this computer yet")).toBeVisible()
    await ask(box, "sums")

    const list = page.getByRole("region", { name: "What left this computer" })
    const row = list.getByRole("listitem").filter({ hasText: "What is two and two?" }).first()
    await expect(row).toContainText("Remote chat model · you")
    await expect(row).toContainText(new URL(remoteUrl(model)).host)
    await page.getByLabel("Purpose").selectOption("Weather")
    await expect(page.getByText("No connections match this filter")).toBeVisible()
    await page.getByLabel("Purpose").selectOption("All purposes")
    await page.getByLabel("Filter by address").fill("0.0.0")
    await expect(row).toBeVisible()

    const downloading = page.waitForEvent("download")
    await page.getByRole("button", { name: "Export as CSV" }).click()
    const saved = await readFile(await (await downloading).path(), "utf8")
    expect(saved).toContain(`"chat-model","${new URL(remoteUrl(model)).host}","ok"`)

    const hint = page.getByRole("link", { name: "Local only: nothing leaves this computer" })
    await expect(hint).toBeHidden()
    await page.getByLabel("Send nothing to other computers").click()
    await expect(hint).toBeVisible()
    await expect(page.getByLabel("Allow local MCP servers to start")).not.toBeChecked()
    await page.reload()
    await expect(page.getByLabel("Send nothing to other computers")).toBeChecked()
    await page.goto(`${box.url}/#/`)
    await page.getByLabel("Message", { exact: true }).fill("And three?")
    await page.keyboard.press("Enter")
    await expect(page.getByText("Blocked because Casella is set to local only.").first()).toBeVisible()
    expect(model.requests).toHaveLength(1)

    await hint.click()
    await page.getByRole("button", { name: "Clear", exact: true }).click()
    await page.getByRole("alertdialog").getByRole("button", { name: "Clear" }).click()
    await expect(page.getByText("Nothing has left this computer yet")).toBeVisible()
  },
)

test("the page can't change a box started as local-only", async ({ page }) => {
  await using box = await startBox("--local-only")
  await signIn(page, box)
  await page.goto(`${box.url}/#/settings/privacy`)
  await expect(page.getByLabel("Send nothing to other computers")).toBeChecked()
  await expect(page.getByLabel("Send nothing to other computers")).toBeDisabled()
  await expect(page.getByText("Casella was started with --local-only.")).toBeVisible()
})

for (const colorScheme of ["light", "dark"] as const) {
  test(`rows have no serious fault in ${colorScheme}, in a small window too`, async ({ page }) => {
    await using model = await startModelServer(() => ({ text: "Four." }))
    await using box = await startBox("--model", remoteUrl(model))
    await ask(box, "sums")
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
    await signIn(page, box)
    await page.goto(`${box.url}/#/settings/privacy`)
    await page.getByLabel("Send nothing to other computers").click()
    await expect(page.getByRole("link", { name: "Local only: nothing leaves this computer" })).toBeVisible()
    await expect(page.getByRole("listitem").filter({ hasText: "Remote chat model" }).first()).toBeVisible()
    for (const [width, height] of [
      [1280, 800],
      [800, 600],
    ] as const) {
      await page.setViewportSize({ width, height })
      await expectAccessible(page)
    }
  })
}
