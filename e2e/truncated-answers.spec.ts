import { createClient } from "../src/shared/client/http-client.ts"
import { expect, signIn, testWithStreamingModel } from "./page-test.ts"

const test = testWithStreamingModel("One, two, and", 100, "length")

test.beforeEach(({ page, box }) => signIn(page, box))

// Catches a cut answer that users can continue only by typing, and a button that stays at earlier answers.
test("an answer that was cut at its length limit continues with one click", async ({ page }) => {
  await page.getByLabel("Message", { exact: true }).fill("Count.")
  await page.keyboard.press("Enter")
  const continueButton = page.getByRole("button", { name: "Continue", exact: true })
  await expect(continueButton).toBeVisible()
  await continueButton.click()
  await expect(page.getByLabel("Answer", { exact: true })).toHaveCount(2)
  await expect(page.getByText("Continue exactly where your last answer was cut off")).toBeVisible()
  await expect(continueButton).toHaveCount(1)
})

// Catches a fork that lacks earlier messages, includes later ones, or changes the original chat.
test("a chat is forked from an answer, and a question is copied", async ({ page, box, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"])
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  const said = ["First question", "First answer", "Second question", "Second answer", "Third question"]
  const messages = said.map((content, index) => ({
    role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
    content,
  }))
  for await (const event of client.chat.send({ body: { id: "origin", boxAddress: box.url, messages } }))
    if (event.type === "finish") break
  await page.goto(`${box.url}/#/inter/chat/origin`)

  await page.getByText("Second question").hover()
  await page.getByRole("button", { name: "Copy question" }).nth(1).click()
  await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toBe("Second question")

  await page.getByLabel("Answer", { exact: true }).nth(1).hover()
  await page
    .getByLabel("Answer", { exact: true })
    .nth(1)
    .getByRole("button", { name: "Continue in a new chat" })
    .click()
  await expect(page.getByRole("heading", { level: 1, name: "First question (2)" })).toBeVisible()
  await expect(page.getByText("Second answer")).toBeVisible()
  await expect(page.getByText("Third question")).toHaveCount(0)
  await page.getByLabel("Message", { exact: true }).fill("Another question")
  await page.keyboard.press("Enter")
  await expect(page.getByText("Another question")).toBeVisible()
  const { chat } = await client.conversations.read({ params: { id: "origin" } })
  expect(chat.messages.map(({ content }) => content)).not.toContain("Another question")
  expect(chat.messages).toHaveLength(6)
})
