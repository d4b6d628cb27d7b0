import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "@playwright/test"
import { ensureSlowTestModel } from "../src/box/engines/llama/testing/test-models.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { createFolder, drop, expect, signIn, test } from "./page-test.ts"

test.use({ boxFlags: ["--model", ensureSlowTestModel()] })

const composer = (page: Page) => page.getByLabel("Message", { exact: true })
const answers = (page: Page) => page.getByLabel("Answer", { exact: true })
const waiting = (page: Page) => page.getByRole("region", { name: "Queued questions" })
const sidebar = (page: Page) => page.getByRole("navigation", { name: "Casella" })

async function ask(page: Page, question: string): Promise<void> {
  await composer(page).fill(question)
  await page.keyboard.press("Enter")
}

test("queued questions wait for the previous answer, can be edited, and survive a reload and a stop", async ({
  page,
  box,
}) => {
  await signIn(page, box)
  await ask(page, "Go on!")
  await expect(answers(page)).toContainText("on and on")
  await ask(page, "Greet me twice.")
  await ask(page, "Greet me.")
  await ask(page, "Not this one.")
  await expect(waiting(page).getByRole("listitem")).toHaveCount(3)

  await page.reload()
  await expect(answers(page)).toContainText("on and on")
  await expect(waiting(page).getByRole("listitem")).toHaveCount(3)
  const last = waiting(page).getByRole("listitem").last()
  await last.getByRole("button", { name: "Remove from queue" }).click()
  await waiting(page)
    .getByRole("listitem")
    .first()
    .getByRole("button", { name: "Edit queued question" })
    .click()
  await page.getByLabel("Queued question", { exact: true }).fill("Greet me three times.")
  await page.keyboard.press("Enter")
  await expect(waiting(page)).toContainText("Greet me three times.")

  await page.getByRole("button", { name: "Stop" }).click()
  await expect(answers(page).getByText("Stopped.")).toBeVisible()
  await expect(waiting(page)).toContainText("You stopped the answer.")
  await expect(waiting(page).getByRole("listitem")).toHaveCount(2)

  await waiting(page).getByRole("button", { name: "Resume" }).click()
  await expect(waiting(page)).toBeHidden()
  await expect(answers(page)).toHaveCount(3)
  await expect(page.getByLabel("Your message")).toHaveText(["Go on!", "Greet me three times.", "Greet me."])
})

// Catches a queue that ends with its page, and one that a script can't see or clear.
test("queued questions are asked with no page open, and a script sees the same queue", async ({
  page,
  box,
}) => {
  await signIn(page, box)
  await ask(page, "Go on!")
  await expect(answers(page)).toContainText("on and on")
  await ask(page, "Greet me.")
  await expect(waiting(page).getByRole("listitem")).toHaveCount(1)
  const address = page.url()
  const chatId = decodeURIComponent(address.split("/chat/")[1] ?? "")
  await page.goto("about:blank")

  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  const params = { id: chatId }
  expect((await client.queue.list({ params })).entries).toMatchObject([
    { content: "Greet me.", waitsFor: "answer" },
  ])
  await client.chat.stop({ params: { chatId } })
  await client.queue.add({ params, body: { content: "Greet me from a script." } })
  await expect
    .poll(
      async () => (await client.conversations.read({ params })).chat.messages.map(({ content }) => content),
      {
        timeout: 40_000,
      },
    )
    .toEqual([
      "Go on!",
      expect.stringContaining("on and on"),
      "Greet me.",
      "Hello from the scripted model.",
      "Greet me from a script.",
      "Hello from the scripted model.",
    ])
  await page.goto(address)
  await expect(answers(page)).toHaveCount(3)
  await expect(waiting(page)).toBeHidden()
})

// Catches an answer that stays empty until the next reload, because the chat was read before the answer ended and shown after that.
test("an answer that ends while its chat is being read is shown", async ({ page, box }) => {
  await signIn(page, box)
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  let isHeld = false
  const released = Promise.withResolvers<void>()
  await page.route(/\/api\/public\/chats\/[^/?]+$/, async (route) => {
    if (isHeld || route.request().method() !== "GET") return route.continue()
    isHeld = true
    const response = await route.fetch()
    const chatId = new URL(route.request().url()).pathname.split("/").at(-1) ?? ""
    await expect.poll(async () => (await client.chat.status({ params: { chatId } })).isActive).toBe(false)
    await route.fulfill({ response })
    released.resolve()
  })
  await ask(page, "Greet me.")
  await released.promise
  await expect(answers(page).getByRole("button", { name: "Regenerate" })).toBeVisible()
  await expect(answers(page)).toContainText("Hello from the scripted model.")
})

test("versions of a question and of an answer are switched at the point where they differ", async ({
  page,
  box,
}) => {
  await signIn(page, box)
  await ask(page, "Greet me.")
  await expect(answers(page)).toContainText("Hello from the scripted model.")
  await page.getByLabel("Your message").hover()
  await page.getByRole("button", { name: "Edit question" }).click()
  await ask(page, "Greet me otherwise.")
  const question = page.getByLabel("Your message")
  await expect(question).toContainText("Greet me otherwise.")
  await expect(question.getByText("2/2")).toBeVisible()

  await question.getByRole("button", { name: "Previous version" }).click()
  await expect(question).toContainText("Greet me.")
  await expect(question.getByText("1/2")).toBeVisible()

  // A new question continues the version on screen.
  await ask(page, "And again.")
  await expect(answers(page)).toHaveCount(2)
  await expect(question.first()).toContainText("Greet me.")
  await expect(question.first().getByText("1/2")).toBeVisible()

  await answers(page).last().hover()
  await answers(page).last().getByRole("button", { name: "Regenerate" }).click()
  await expect(answers(page).last().getByText("2/2")).toBeVisible()
  await expect(page.getByRole("button", { name: "Stop" })).toBeHidden()

  // In an empty message, ↑ brings back the last question.
  await composer(page).press("ArrowUp")
  await expect(composer(page)).toHaveValue("And again.")
  await page.keyboard.press("Escape")
  await expect(composer(page)).toHaveValue("")
})

test("a folder is named in the question, and the reasons for the answer are shown", async ({
  page,
  box,
}, info) => {
  const file = join(info.outputPath(), "tea.md")
  writeFileSync(file, "# Tea\n\nGreen tea is steeped at seventy degrees for two minutes.\n")
  await signIn(page, box)
  await createFolder(page, "Kitchen notes of a very careful cook")
  await drop(page, file)
  await expect(page.getByRole("row").filter({ hasText: "tea.md" }).getByText("Indexed")).toBeVisible()
  await page.getByRole("link", { name: "New chat" }).click()

  await composer(page).pressSequentially("How is tea steeped? See #kit")
  await expect(page.getByRole("option", { name: /Kitchen notes/ })).toHaveAttribute("aria-selected", "true")
  await page.keyboard.press("Enter")
  await expect(composer(page)).toHaveValue("How is tea steeped? See #Kitchen notes of a very careful cook ")
  await expect(page.getByRole("button", { name: /^Don’t answer from Kitchen notes/ })).toBeVisible()
  await composer(page).pressSequentially("please.")
  await page.keyboard.press("Enter")
  await expect(answers(page)).toContainText("Hello from the scripted model.")

  await answers(page).hover()
  await page.getByRole("button", { name: "Why this answer" }).click()
  const why = page.getByRole("complementary", { name: "Why this answer" })
  await expect(why).toContainText("How is tea steeped?")
  await expect(why).toContainText("keywords #1")
  await why.getByText("tea.md").click()
  await why.getByRole("button", { name: "Show in the document" }).click()
  const document = page.getByRole("complementary", { name: "Document" })
  await expect(document.locator("mark").first()).toBeInViewport()
  await expect(why).toBeHidden()

  // Esc acts on the focused element: first it closes the panel, then it stops the answer.
  await composer(page).fill("Go on!")
  await page.keyboard.press("Enter")
  await expect(answers(page).last()).toContainText("on and on")
  await document.getByRole("button", { name: "Download file" }).focus()
  await page.keyboard.press("Escape")
  await expect(document).toBeHidden()
  await expect(page.getByRole("button", { name: "Stop" })).toBeVisible()
  await page.keyboard.press("Escape")
  await expect(answers(page).last().getByText("Stopped.")).toBeVisible()
})

test("files dropped on a chat are indexed and used for answers", async ({ page, box }, info) => {
  const notes = join(info.outputPath(), "umbrella.md")
  const program = join(info.outputPath(), "program.exe")
  writeFileSync(notes, "# Umbrella\n\nThe green umbrella is in the cellar behind the bicycle.\n")
  writeFileSync(program, Buffer.from("MZ\u0090\u0000\u0003\u0000\u0000\u0000", "latin1"))
  await signIn(page, box)
  await drop(page, notes, program)
  const files = page.getByRole("list", { name: "Files in this chat" }).getByRole("listitem")
  await expect(files.filter({ hasText: "umbrella.md" })).toContainText("Ready")
  await expect(files.filter({ hasText: "program.exe" })).toContainText("is a program")
  await files.filter({ hasText: "program.exe" }).getByRole("button", { name: "Remove program.exe" }).click()
  await expect(files).toHaveCount(1)

  await ask(page, "Where is the green umbrella, tell me.")
  await answers(page).getByRole("button", { name: "Why this answer" }).click()
  const why = page.getByRole("complementary", { name: "Why this answer" })
  await expect(why).toContainText("umbrella.md")
  await page.reload()
  await expect(page.getByRole("list", { name: "Sent with this message" })).toContainText("umbrella.md")
  await expect(files).toHaveCount(0)
  // A chat's own folder isn't shown in the folder list.
  await page.goto(`${box.url}/#/dc`)
  await expect(page.getByRole("heading", { name: "Folders", level: 1 })).toBeVisible()
  await expect(page.getByRole("main")).not.toContainText("umbrella")
})

test("a chat is pinned, exported, deleted with undo, and found by its messages", async ({ page, box }) => {
  await signIn(page, box)
  await ask(page, "Where is the yellow submarine.")
  await expect(answers(page)).toContainText("Hello from the scripted model.")
  await expect(page.getByRole("heading", { name: "Where is the yellow submarine.", level: 1 })).toBeVisible()
  const row = sidebar(page).getByRole("link", { name: /yellow submarine/ })
  const actions = page.getByRole("main").getByLabel("Chat actions")

  await actions.click()
  await page.getByRole("menuitem", { name: "Pin" }).click()
  await expect(sidebar(page).getByRole("heading", { name: "Pinned" })).toBeVisible()

  await actions.click()
  const download = page.waitForEvent("download")
  await page.getByRole("menuitem", { name: "Export as text (Markdown)" }).click()
  const saved = await download
  expect(saved.suggestedFilename()).toBe("Where is the yellow submarine.md")
  const text = readFileSync(await saved.path(), "utf8")
  expect(text).toContain("# Where is the yellow submarine.")
  expect(text).toContain("Hello from the scripted model.")

  await page.getByLabel("Search chats").fill("scripted model")
  await sidebar(page)
    .getByRole("link", { name: /Hello from the scripted/ })
    .first()
    .click()
  await expect(page).toHaveURL(/message=/)
  await expect(answers(page).first()).toBeInViewport()
  await page.getByLabel("Search chats").fill("")

  await actions.click()
  await page.getByRole("menuitem", { name: "Delete" }).click()
  await expect(row).toBeHidden()
  await page.getByRole("button", { name: "Undo", exact: true }).click()
  await expect(row).toBeVisible()

  // Two chats deleted in sequence are restored together.
  await page.getByRole("link", { name: "New chat" }).first().click()
  await expect(page.getByRole("heading", { name: "What would you like to know?" })).toBeVisible()
  await ask(page, "Where is the red balloon.")
  const other = sidebar(page).getByRole("link", { name: /red balloon/ })
  await expect(other).toBeVisible()
  await expect(answers(page)).toContainText("Hello from the scripted model.")
  await actions.click()
  await page.getByRole("menuitem", { name: "Delete" }).click()
  await row.click()
  await actions.click()
  await page.getByRole("menuitem", { name: "Delete" }).click()
  await expect(row.or(other)).toHaveCount(0)
  await expect(page.getByText("2 chats deleted")).toBeVisible()
  await page.getByRole("button", { name: "Undo", exact: true }).click()
  await expect(row).toBeVisible()
  await expect(other).toBeVisible()

  // Leaving the page makes the deletion final.
  await row.click()
  await actions.click()
  await page.getByRole("menuitem", { name: "Delete" }).click()
  await expect(row).toBeHidden()
  await page.reload()
  await expect(composer(page)).toBeVisible()
  await expect(row).toBeHidden()
})

test("usage and speed are shown on demand", async ({ page, box }) => {
  await signIn(page, box)
  await ask(page, "Greet me.")
  await expect(answers(page)).toContainText("Hello from the scripted model.")
  await answers(page).hover()
  await page.getByRole("button", { name: "Model and speed" }).click()
  await expect(page.getByRole("dialog", { name: "Model and speed" })).toContainText("tokens/s")
})
