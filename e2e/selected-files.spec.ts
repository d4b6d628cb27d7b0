import { startModelServer } from "../src/box/testing/model-servers/model-server.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { expectAccessible } from "./expect-accessible.ts"
import type { RunningBox } from "./running-box.ts"
import { expect, holdToasts, signIn, test } from "./page-test.ts"

const getClient = (box: RunningBox) => createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })

/** Creates a folder with files and waits until they are indexed; returns its id. */
async function folderWith(box: RunningBox, files: Record<string, string>): Promise<string> {
  const client = getClient(box)
  const { vector } = await client.folders.create({ body: { name: "Letters" } })
  for (const [fileName, text] of Object.entries(files))
    await client.files.upload({ params: { id: vector.id }, file: new Blob([text]), fileName })
  const idle = async () =>
    (await client.files.list({ params: { id: vector.id }, query: { limit: 500 } })).files.every(
      ({ status }) => status !== "queued" && status !== "processing",
    )
  await expect.poll(idle, { timeout: 60_000 }).toBe(true)
  return vector.id
}

const letters = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `letter ${String(index + 1).padStart(3, "0")}.txt`,
      `Letter ${index + 1} tells of the walrus.`,
    ]),
  )

// Catches ranges and keys that select the wrong rows, a selection lost after a search, and a question that isn't about the selection.
test("several files are selected by keys, pointer and ranges, and asked about", async ({ page, box }) => {
  await using model = await startModelServer(() => ({ text: "Of the walrus [1]." }))
  const client = getClient(box)
  const { server } = await client.modelServers.add({ body: { name: "Told", url: model.baseUrl } })
  await client.models.choose({ body: { role: "chat", modelId: server.models[0]?.id ?? "" } })
  const folder = await folderWith(box, { ...letters(6), "broken.pdf": "%PDF-1.4 broken" })
  await signIn(page, box)
  await page.goto(`${box.url}/#/dc/vector/${folder}`)
  const tick = (name: string) => page.getByRole("checkbox", { name: `Select ${name}` })
  const bar = page.getByRole("region", { name: "Selected files" })

  await tick("letter 002.txt").click()
  await tick("letter 004.txt").click({ modifiers: ["Shift"] })
  await expect(bar).toContainText("3 selected")
  await page.keyboard.press("ArrowDown")
  await page.keyboard.press("ArrowDown")
  await page.keyboard.press("Space")
  await expect(tick("letter 006.txt")).toBeChecked()
  await tick("letter 003.txt").click()
  await expect(bar).toContainText("3 selected")
  await page.getByLabel("Find a file").fill("broken")
  await expect(tick("letter 002.txt")).toHaveCount(0) // rows no longer move
  await tick("broken.pdf").click()
  await expect(bar).toContainText("4 selected")
  await expect(bar).toContainText("1 file isn’t indexed and won’t be used.")
  await expect(bar.getByRole("button", { name: "Retry failed file" })).toBeVisible()
  await expectAccessible(page, "picked files")

  await bar.getByRole("button", { name: "Ask about these" }).click()
  const about = page.getByRole("list", { name: /about/i })
  await expect(about.getByRole("listitem")).toHaveText(["letter 002.txt", "letter 004.txt", "letter 006.txt"])
  const asked = page.waitForRequest(
    (request) => request.postData()?.includes("What do they tell of?") ?? false,
  )
  await page.getByLabel("Message", { exact: true }).fill("What do they tell of?")
  await page.keyboard.press("Enter")
  const body = (await asked).postDataJSON() as { fileIds?: string[] }
  expect(body.fileIds).toHaveLength(3)
  await expect(page.getByLabel("Answer", { exact: true })).toContainText("Of the walrus")
})

// Catches several deletions that can't be undone together, and a question with more files than the box accepts.
test("selecting all files gives too many for a question, and they can be deleted and restored", async ({
  page,
  box,
}) => {
  const folder = await folderWith(box, letters(203))
  await holdToasts(page)
  await signIn(page, box)
  await page.goto(`${box.url}/#/dc/vector/${folder}`)
  const bar = page.getByRole("region", { name: "Selected files" })
  await page.getByRole("checkbox", { name: "Select all" }).click()
  await expect(bar).toContainText("203 selected")
  await expect(bar).toContainText(
    "A question can cover up to 200 files. Deselect 3, or ask the whole folder.",
  )
  await expect(bar.getByRole("button", { name: "Ask about these" })).toBeDisabled()
  await bar.getByRole("button", { name: "Clear selection" }).click()

  await page.getByRole("checkbox", { name: "Select letter 001.txt" }).click()
  await page.getByRole("checkbox", { name: "Select letter 003.txt" }).click({ modifiers: ["Shift"] })
  await bar.getByRole("button", { name: "Delete" }).click()
  await expect(bar).toBeHidden()
  await expect(page.getByText("200 files", { exact: true })).toBeVisible()
  await expect(page.getByText("3 files deleted")).toBeVisible()
  await page.getByRole("button", { name: "Undo", exact: true }).click()
  await expect(page.getByText("203 files", { exact: true })).toBeVisible()
})
