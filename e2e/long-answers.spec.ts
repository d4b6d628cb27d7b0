import type { Page } from "@playwright/test"
import { expect, signIn, testWithStreamingModel } from "./page-test.ts"
import type { RunningBox } from "./running-box.ts"

const test = testWithStreamingModel("Yes.", 100)

/** Stores a conversation with this answer and opens it. */
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

const answerOf = (page: Page) => page.getByLabel("Answer", { exact: true }).first()

/** However fast the computer is, drawing them would take more elements than a text may have. */
const asksTooMuch = {
  "lists-in-lists": `The start.\n\n${`${"- ".repeat(5000)}a\n\n`.repeat(100)}The end.`,
  formulas: `The start.\n\n${"$$x$$ ".repeat(160_000)}\n\nThe end.`,
}
const hostile = {
  "beginnings-of-links": `The start.\n\n${"[a](".repeat(250_000)}\n\nThe end.`,
  ...asksTooMuch,
}

for (const [name, text] of Object.entries(hostile)) {
  // Would catch a page that stands still, text that isn't there, and a worker that the page's own policy keeps from starting.
  test(`a page with a megabyte of ${name} shows it and can be used`, async ({ page, box }) => {
    await signIn(page, box)
    await openAnswer(page, box, name, text)
    await expect(answerOf(page)).toContainText("The start.")
    await page.getByLabel("Message", { exact: true }).fill("still here")
    await expect(page.getByLabel("Message", { exact: true })).toHaveValue("still here")
    if (name in asksTooMuch)
      await expect(answerOf(page).getByText("Shown as plain text").first()).toBeVisible()
    await expect(answerOf(page)).toContainText("The end.", { timeout: 90_000 })
    await page.getByRole("link", { name: "New chat" }).first().click()
    await expect(page.getByRole("heading", { name: "What would you like to know?" })).toBeVisible()
  })
}

// Would catch formulas that the worker's policy, styles or messages lose.
test("formulas and long blocks of code, which a worker reads, are drawn", async ({ page, box }) => {
  await signIn(page, box)
  const code = Array.from({ length: 90 }, (_, index) => `const value${index} = compute(${index}, "text")`)
  await openAnswer(
    page,
    box,
    "read",
    `Euler: $e^{i\\pi} = -1$.\n\n\`\`\`ts\n${code.join("\n")}\n\`\`\`\n\nThe end.`,
  )
  const answer = answerOf(page)
  await expect(answer.locator(".katex")).toHaveCount(1)
  await expect(answer.locator(".hljs-keyword")).toHaveCount(90)
  await expect(answer).toContainText("The end.")
})

// Would catch code that is cut into several blocks, or that loses lines where it is drawn in pieces.
test("a long block of code stays one, to copy whole", async ({ page, box, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"])
  await signIn(page, box)
  const code = Array.from({ length: 3000 }, (_, index) => `line ${index} of the code`).join("\n")
  await openAnswer(page, box, "code", `\`\`\`js\n${code}\n\`\`\`\n\nThe end.`)
  const answer = answerOf(page)
  await expect(answer).toContainText("line 2999 of the code")
  // Until the block is read, the only such button is the whole answer's.
  await expect(answer.getByRole("button", { name: "Break long lines" })).toBeVisible()
  await answer.getByRole("button", { name: "Copy" }).first().click()
  await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toBe(`${code}\n`)
})
