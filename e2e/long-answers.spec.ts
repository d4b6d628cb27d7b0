import type { Page } from "@playwright/test"
import { expect, signIn, testWithStreamingModel } from "./page-test.ts"
import type { RunningBox } from "./running-box.ts"

const test = testWithStreamingModel("Yes.", 100)

/** Stores a chat with this answer and opens it. */
async function openAnswer(page: Page, { url, key }: RunningBox, id: string, answer: string): Promise<void> {
  const messages = [
    { role: "user", content: "Say it." },
    { role: "assistant", content: answer },
    { role: "user", content: "Again." },
  ]
  const response = await fetch(`${url}/api/ai/chat`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({ id, boxAddress: url, messages }),
  })
  expect(response.ok).toBe(true)
  await response.text()
  await page.goto(`${url}/#/inter/chat/${id}`)
}

const getAnswer = (page: Page) => page.getByLabel("Answer", { exact: true }).first()

/** Drawing these would need more elements than a text may have, however fast the computer is. */
const asksTooMuch = {
  "lists-in-lists": `The start.\n\n${`${"- ".repeat(5000)}a\n\n`.repeat(100)}The end.`,
  formulas: `The start.\n\n${"$$x$$ ".repeat(160_000)}\n\nThe end.`,
}
const hostile = {
  "beginnings-of-links": `The start.\n\n${"[a](".repeat(250_000)}\n\nThe end.`,
  ...asksTooMuch,
}

for (const [name, text] of Object.entries(hostile)) {
  // Catches a page that freezes, missing text, and a worker blocked by the page's own content policy.
  test(`a page with a megabyte of ${name} shows it and can be used`, async ({ page, box }) => {
    await signIn(page, box)
    await openAnswer(page, box, name, text)
    await expect(getAnswer(page)).toContainText("The start.")
    await page.getByLabel("Message", { exact: true }).fill("still here")
    await expect(page.getByLabel("Message", { exact: true })).toHaveValue("still here")
    if (name in asksTooMuch)
      await expect(getAnswer(page).getByText("Shown as plain text").first()).toBeVisible()
    await expect(getAnswer(page)).toContainText("The end.", { timeout: 90_000 })
    await page.getByRole("link", { name: "New chat" }).first().click()
    await expect(page.getByRole("heading", { name: "What would you like to know?" })).toBeVisible()
  })
}

// Catches formulas that are lost through the worker's content policy, styles or messages.
test("formulas and long code blocks, parsed by a worker, are drawn", async ({ page, box }) => {
  await signIn(page, box)
  const code = Array.from({ length: 90 }, (_, index) => `const value${index} = compute(${index}, "text")`)
  await openAnswer(
    page,
    box,
    "read",
    `Euler: $e^{i\\pi} = -1$.\n\n\`\`\`ts\n${code.join("\n")}\n\`\`\`\n\nThe end.`,
  )
  const answer = getAnswer(page)
  await expect(answer.locator(".katex")).toHaveCount(1)
  await expect(answer.locator(".hljs-keyword")).toHaveCount(90)
  await expect(answer).toContainText("The end.")
})

// Catches code that is split into several blocks, or that loses lines when it is drawn in pieces.
test("a long code block stays in one piece and is copied whole", async ({ page, box, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"])
  await signIn(page, box)
  const code = Array.from({ length: 3000 }, (_, index) => `line ${index} of the code`).join("\n")
  await openAnswer(page, box, "code", `\`\`\`js\n${code}\n\`\`\`\n\nThe end.`)
  const answer = getAnswer(page)
  await expect(answer).toContainText("line 2999 of the code")
  // Until the block is parsed, the only copy button belongs to the whole answer.
  await expect(answer.getByRole("button", { name: "Wrap lines" })).toBeVisible()
  await answer.getByRole("button", { name: "Copy" }).first().click()
  await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toBe(`${code}\n`)
})
