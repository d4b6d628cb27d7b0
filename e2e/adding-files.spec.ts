import { startHeldEmbedder, startModelServer } from "../src/box/testing/model-servers/model-server.ts"
import { routes } from "../src/renderer/lib/navigation/routes.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { expectAccessible } from "./expect-accessible.ts"
import { expect, signIn, test } from "./page-test.ts"
import { startBox } from "./running-box.ts"

/** A box whose folder has an indexed file, and one whose indexing waits until it is released. */
async function startFolder() {
  await using stack = new AsyncDisposableStack()
  let answers = 0
  const model = stack.use(await startModelServer(() => ({ text: `Answer number ${++answers} [1].` })))
  const embedder = stack.use(await startHeldEmbedder("slowly"))
  const box = stack.use(await startBox("--model", model.baseUrl, "--embedding-model", embedder.url))
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  const { vector } = await client.folders.create({ body: { name: "Papers" } })
  const params = { id: vector.id }
  const upload = (fileName: string, text: string) =>
    client.files.upload({ params, file: new Blob([text]), fileName })
  const pending = async () => (await client.folders.read({ params })).vector.pendingCount
  const { files } = await upload("ready.md", "The heron nests on the crane.")
  await expect.poll(pending).toBe(0)
  await upload("late.md", "The harbour fills slowly in the morning.")
  const resources = stack.move()
  return {
    box,
    client,
    folderId: vector.id,
    readyId: files[0]?.id ?? "",
    release: embedder.release,
    /** The model's last request. */
    prompt: () => JSON.stringify(model.requests.at(-1)),
    async settled() {
      await expect.poll(pending).toBe(0)
    },
    [Symbol.asyncDispose]() {
      embedder.release()
      return resources.disposeAsync()
    },
  }
}

// Catches an answer that lacks a file being indexed and is never offered again, and an offer that a reload forgets. Also catches an offer
// made too early, after the question was already repeated, at the repeated version, or when nothing was missing.
test("an answer is offered again when the files that were being indexed are ready", async ({ page }) => {
  await using papers = await startFolder()
  await signIn(page, papers.box)
  const message = page.getByLabel("Message", { exact: true })
  const answers = page.getByLabel("Answer", { exact: true })
  const askAgain = page.getByRole("button", { name: "Ask again" })
  await page.goto(`${papers.box.url}/#/?folder=${papers.folderId}`)
  await message.fill("Where does the heron nest?")
  await page.keyboard.press("Enter")
  await expect(answers).toContainText("Answer number 1")
  await expect(answers).toContainText("late.md was still being read, so this answer may not cover it.")
  await expect(askAgain).toHaveCount(0)

  papers.release()
  await papers.settled()
  await expect(answers).toContainText("All files have been read.")
  await page.reload()
  await expect(askAgain).toBeVisible()
  await expectAccessible(page, "an answer that is offered again")
  await askAgain.press("Enter")
  await expect(answers).toContainText("Answer number 2")
  await expect(answers).toHaveCount(1)
  await expect(answers).not.toContainText("still being read")
  await expect(askAgain).toHaveCount(0)

  // Both versions are kept; the first question was already asked again.
  await page.getByRole("button", { name: "Previous version" }).click()
  await expect(answers).toContainText("Answer number 1")
  await expect(answers).toContainText("late.md was still being read")
  await expect(askAgain).toHaveCount(0)
})

// Catches an attachment whose folder, which no list shows, is never checked, and a repeated question that omits it.
test("an answer is offered again when an attachment that was being indexed is ready", async ({ page }) => {
  await using papers = await startFolder()
  const { box, client } = papers
  const { vector } = await client.conversations.folder({ params: { id: "attached" } })
  const file = new Blob(["The ferry leaves slowly at nine."])
  await client.files.upload({ params: { id: vector.id }, file, fileName: "ferry.md" })
  const messages = [{ role: "user" as const, content: "What does this say?" }]
  for await (const event of client.chat.send({ body: { id: "attached", boxAddress: box.url, messages } }))
    if (event.type === "finish") break
  await signIn(page, box)
  await page.goto(`${box.url}/#/inter/chat/attached`)
  const answers = page.getByLabel("Answer", { exact: true })
  const askAgain = page.getByRole("button", { name: "Ask again" })
  await expect(answers).toContainText("ferry.md wasn't read.")
  await expect(askAgain).toHaveCount(0)
  papers.release()
  await askAgain.click()
  await expect(answers).toContainText("Answer number 2")
  await expect(answers).not.toContainText("wasn't read")
  await expect(askAgain).toHaveCount(0)
  expect(papers.prompt()).toContain("The ferry leaves slowly at nine.")
})

// Catches folders of the first question that the next one doesn't use, because the first still waits for its files.
test("while a chat's first question waits for its files, its folders stay chosen", async ({ page }) => {
  await using papers = await startFolder()
  await signIn(page, papers.box)
  await page.goto(`${papers.box.url}/#/?folder=${papers.folderId}`)
  const chosen = page.getByRole("button", { name: "Don’t answer from Papers" })
  await expect(chosen).toBeVisible()
  const file = { name: "ferry.md", mimeType: "text/markdown", buffer: Buffer.from("It leaves slowly.") }
  await page.getByLabel("Files for this chat").setInputFiles(file)
  await page.getByLabel("Message", { exact: true }).fill("What does this say?")
  await page.keyboard.press("Enter")
  await expect(page.getByRole("region", { name: "Queued questions" })).toContainText("ferry.md")
  await expect(page).toHaveURL(/inter\/chat/)
  await expect(chosen).toBeVisible()
})

// Catches a user who asks about an indexed file and is asked to wait for others in its folder.
test("a question about an indexed file doesn't mention the others", async ({ page }) => {
  await using papers = await startFolder()
  await signIn(page, papers.box)
  const note = page.getByText("1 file in the selected folders is still being indexed")
  await page.goto(`${papers.box.url}/#/?folder=${papers.folderId}`)
  await expect(note).toBeVisible()
  await page.goto(`${papers.box.url}/#${routes.newChatAbout(papers.folderId, [papers.readyId])}`)
  await expect(page.getByText("ready.md")).toBeVisible()
  await expect(note).toHaveCount(0)
})
