import { makeEncryptedPdf, makePdf } from "../src/box/parsers/testing/make-pdf.ts"
import { startModelServer } from "../src/box/testing/model-servers/model-server.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { expectAccessible } from "./expect-accessible.ts"
import { expect, signIn, test } from "./page-test.ts"

const letter = makePdf([{ lines: [{ text: "The heron nests on the crane of Trieste." }] }])
const file = (name: string, content: Uint8Array | string) => ({
  name,
  mimeType: "application/octet-stream",
  buffer: Buffer.from(content),
})

// Catches "What does this say?" finding nothing in an attachment, files that stay in the composer, cards that are gone after a reload, an
// unreadable file that isn't reported, and a summary of only a part.
test("attachments are read, shown on their message, and reported if they can't be read", async ({
  page,
  box,
}) => {
  await using model = await startModelServer(() => ({ text: "It is about a heron [1]." }))
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  const { server } = await client.modelServers.add({ body: { name: "Told", url: model.baseUrl } })
  await client.models.choose({ body: { role: "chat", modelId: server.models[0]?.id ?? "" } })
  await signIn(page, box)
  const message = page.getByLabel("Message", { exact: true })
  const composer = page.getByRole("list", { name: "Files in this chat" })
  const sent = page.getByLabel("Your message").getByRole("list", { name: "Sent with this message" })
  const answers = page.getByLabel("Answer", { exact: true })

  await page.getByLabel("Files for this chat").setInputFiles(file("letter.pdf", letter))
  await expect(composer).toContainText("letter.pdf")
  await message.fill("What does this say?")
  await page.keyboard.press("Enter")
  await expect(answers).toContainText("It is about a heron")
  expect(model.requests.at(-1)?.messages.at(-1)?.content).toContain(
    "The heron nests on the crane of Trieste.",
  )
  await expect(sent.getByRole("button", { name: "Open letter.pdf" })).toBeVisible()
  await expect(composer).toHaveCount(0)
  await page.reload()
  await expect(sent.getByRole("button", { name: "Open letter.pdf" })).toBeVisible()
  await expect(composer).toHaveCount(0)

  await page.getByLabel("Files for this chat").setInputFiles(file("broken.pdf", "%PDF-1.7\nnothing of a PDF"))
  await expect(composer.getByRole("listitem")).toHaveCount(1)
  await message.fill("And what does this one say?")
  await page.keyboard.press("Enter")
  await expect(answers).toHaveCount(2)
  await expect(answers.last()).toContainText("broken.pdf wasn't read.")
  await expect(composer).toHaveCount(0)
  await expect(sent.last()).toContainText(/damaged|read/i)
  await expectAccessible(page, "files with messages")

  const pages = [letter, "# Rules\n\nThe harbour closes at noon."]
  await page
    .getByLabel("Files for this chat")
    .setInputFiles(pages.map((content, index) => file(index === 0 ? "offer.pdf" : "rules.md", content)))
  await expect(composer.getByRole("listitem")).toHaveCount(2)
  await message.fill("Compare these")
  await page.keyboard.press("Enter")
  await expect(answers.last().getByText(/^Read completely: .*2 files$/)).toBeVisible()
  await expect(sent.last().getByRole("listitem")).toHaveCount(2)
  await expect(composer).toHaveCount(0)

  await sent.last().getByRole("button", { name: "Remove rules.md" }).press("Enter")
  await expect(sent.last().getByRole("button", { name: "Open rules.md" })).toHaveCount(0)
  await sent.last().getByRole("button", { name: "Open offer.pdf" }).press("Enter")
  await expect(page.getByRole("complementary", { name: "Document" })).toContainText("offer.pdf")
})

// Catches a chat without a way to enter a file's password before or after a question about it, and a dialog that closes when the answer
// ends.
test("an attached file is unlocked in the chat, before and after it is sent", async ({ page, box }) => {
  const isAsking = Promise.withResolvers<void>()
  await using model = await startModelServer(() => ({
    text: (async function* () {
      yield "It is about "
      await isAsking.promise
      yield "a heron [1]."
    })(),
  }))
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  const { server } = await client.modelServers.add({ body: { name: "Told", url: model.baseUrl } })
  await client.models.choose({ body: { role: "chat", modelId: server.models[0]?.id ?? "" } })
  await page.setViewportSize({ width: 390, height: 844 })
  await signIn(page, box)
  const composer = page.getByRole("list", { name: "Files in this chat" })
  const sent = page.getByLabel("Your message").getByRole("list", { name: "Sent with this message" })
  const locked = (name: string) => file(name, makeEncryptedPdf("The heron hides in the reeds", "sesame"))
  await page.getByLabel("Files for this chat").setInputFiles([locked("first.pdf"), locked("second.pdf")])
  const unlock = async (name: string, password: string) => {
    const dialog = page.getByRole("dialog", { name: `Unlock “${name}”` })
    await expect(dialog.getByLabel("Password")).toBeFocused()
    await page.keyboard.type(password)
    await page.keyboard.press("Enter")
    await expect(dialog).toBeHidden()
  }
  await page.getByRole("button", { name: "Unlock first.pdf" }).click()
  await expectAccessible(page, "asking for an attached file's password")
  await unlock("first.pdf", "sesam")
  await expect(composer.getByText(/doesn't open with that password/)).toBeVisible()
  await page.getByRole("button", { name: "Unlock first.pdf" }).click()
  await unlock("first.pdf", "sesame")
  await expect(composer.getByText("Ready")).toBeVisible()

  await page.getByLabel("Message", { exact: true }).fill("What does this say?")
  await page.keyboard.press("Enter")
  await expect(page.getByLabel("Answer", { exact: true })).toContainText("second.pdf wasn't read.")
  await sent.getByRole("button", { name: "Unlock" }).click()
  await expect(page.getByRole("dialog")).toBeVisible()
  isAsking.resolve()
  await expect(page.getByRole("log", { includeHidden: true })).toHaveAttribute("aria-busy", "false")
  await expect(page.getByRole("log", { includeHidden: true })).toContainText("a heron")
  await unlock("second.pdf", "sesame")
  await expect(sent.getByRole("button", { name: "Unlock" })).toHaveCount(0)
  await expect(sent).not.toContainText("password")
})
