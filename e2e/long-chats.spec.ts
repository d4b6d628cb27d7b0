import type { Page } from "@playwright/test"
import { expect, signIn, testWithStreamingModel } from "./page-test.ts"
import type { RunningBox } from "./running-box.ts"

const test = testWithStreamingModel("Yes.", 100)

const field = (page: Page) => page.getByRole("searchbox", { name: "Find in this chat" })
const matchCounter = (page: Page) => page.getByRole("search").getByRole("status")
const log = (page: Page) => page.getByRole("log", { name: "Chat" })

/** The browser's highlights: the current match, or all others. */
const marked = (page: Page, name: "found" | "found-here") =>
  page.evaluate<string[]>(`[...(CSS.highlights.get("${name}") ?? [])].map(String)`)

/** Position of the current match in the list as a share of its height; NaN if there is none. */
const shownAt = (page: Page) =>
  page.evaluate<number>(`(() => {
    const [range] = [...(CSS.highlights.get("found-here") ?? [])]
    const list = document.querySelector("[role=log]").getBoundingClientRect()
    return range ? (range.getBoundingClientRect().top - list.top) / list.height : NaN
  })()`)

const kinds = `A **wombat** in bold and a [wombat by link](https://example.com/wombat).

> A quoted wombat.

| Animal | Home |
| --- | --- |
| wombat | burrow |
| WÓMBAT | den |

\`\`\`c
int *wombat = *other_wombat;
\`\`\`

The end.`

/** A long chat of `pairs` questions. The tenth answer contains every kind of text. */
async function openLongChat(page: Page, box: RunningBox, id: string, pairs = 120): Promise<void> {
  const messages = Array.from({ length: pairs }, (_, index) => [
    { role: "user", content: `Question ${index}${index === 3 ? " about a wombat" : ""}` },
    {
      role: "assistant",
      content: index === 10 ? kinds : `Answer ${index}. ${"Some more words. ".repeat(60)}`,
    },
  ]).flat()
  await openMessages(page, box, id, [...messages, { role: "user", content: "The last." }])
}

interface SampleMessage {
  role: string
  content: string
}

/** Stores a chat whose last question is "The last.", and opens it at its end. */
async function openMessages(page: Page, { url, key }: RunningBox, id: string, messages: SampleMessage[]) {
  const response = await fetch(`${url}/api/ai/chat`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({
      id,
      boxAddress: url,
      messages,
    }),
  })
  expect(response.ok).toBe(true)
  await response.text()
  await page.goto(`${url}/#/inter/chat/${id}`)
  await expect(log(page).getByText("The last.")).toBeVisible()
}

test.beforeEach(({ page, box }) => signIn(page, box))

// Catches a search in drawn messages only, a count that differs from the marks, and a match that is marked but not scrolled to.
test("text far above is found, counted, marked and scrolled to", async ({ page, box }) => {
  await openLongChat(page, box, "find")
  await expect(log(page).getByText("Question 3 about")).toHaveCount(0)
  await page.getByLabel("Message", { exact: true }).focus()
  await page.keyboard.press("Control+f")
  await expect(field(page)).toBeFocused()
  await page.keyboard.type("wombat")
  await expect(matchCounter(page)).toHaveText("1 of 8")
  await expect(log(page).getByText("Question 3 about a wombat")).toBeVisible()
  await expect.poll(() => marked(page, "found-here")).toEqual(["wombat"])

  const words = ["wombat", "wombat", "wombat", "wombat", "WÓMBAT", "wombat", "wombat"]
  for (const [index, word] of words.entries()) {
    await page.keyboard.press("Enter")
    await expect(matchCounter(page)).toHaveText(`${index + 2} of 8`)
    await expect.poll(() => marked(page, "found-here")).toEqual([word])
    await expect.poll(() => shownAt(page)).toBeLessThan(0.9)
    await expect.poll(() => shownAt(page)).toBeGreaterThan(0)
  }
  await expect.poll(() => marked(page, "found")).toHaveLength(6)
  await page.keyboard.press("Enter")
  await expect(matchCounter(page)).toHaveText("1 of 8")
  await page.keyboard.press("Shift+Enter")
  await expect(matchCounter(page)).toHaveText("8 of 8")

  await field(page).fill("nowhere to be found")
  await expect(matchCounter(page)).toHaveText("No matches in this chat")
  await page.keyboard.press("Escape")
  await expect(field(page)).toBeHidden()
  await expect(page.getByLabel("Message", { exact: true })).toBeFocused()
  await expect.poll(() => page.evaluate("CSS.highlights.size")).toBe(0)
})

// Catches an outline of drawn messages only, one that doesn't start at the reader's position, and one that the keyboard can't use.
test("the questions of a chat are listed and opened, by keyboard too", async ({ page, box }) => {
  await openLongChat(page, box, "outline")
  const button = page.getByRole("button", { name: "Questions in this chat" })
  await button.focus()
  await page.keyboard.press("Enter")
  const outline = page.getByRole("dialog", { name: "Questions in this chat" })
  const currentEntry = outline.getByRole("button", { name: "121 The last.", exact: true })
  await expect(currentEntry).toBeInViewport()
  await page.keyboard.press("ArrowDown")
  await expect(currentEntry).toBeFocused()
  await outline.getByRole("searchbox").fill("question 4")
  await page.keyboard.press("ArrowDown")
  await expect(outline.getByRole("button", { name: "5 Question 4", exact: true })).toBeFocused()
  await page.keyboard.press("ArrowDown")
  await page.keyboard.press("Enter")
  await expect(outline).toBeHidden()
  await expect(log(page)).toBeFocused()
  await expect(log(page).getByText("Question 40", { exact: true })).toBeInViewport()

  await button.click()
  await expect(outline.locator("[aria-current]")).toHaveText("41Question 40")
  await expect(outline.locator("[aria-current]")).toBeInViewport()
  await outline.getByRole("searchbox").fill("nobody asked this")
  await expect(outline.getByText("No matching questions")).toBeVisible()
  await page.keyboard.press("Escape")
  await page.keyboard.press("Escape")
  await expect(button).toBeFocused()
})

// Catches an outline for one or two questions, which are visible anyway.
test("a chat of two questions has no outline", async ({ page, box }) => {
  await openLongChat(page, box, "short", 1)
  await expect(page.getByRole("button", { name: "Find in this chat" })).toBeVisible()
  await expect(page.getByRole("button", { name: "Questions in this chat" })).toHaveCount(0)
  await page.setViewportSize({ width: 1280, height: 1000 })
  await page.keyboard.press("Control+f")
  await expect(field(page)).toBeFocused()
  await page.keyboard.type("Answer 0")
  await expect(matchCounter(page)).toHaveText("1 of 1")
  await expect(page.getByRole("button", { name: "Jump to latest" })).toHaveCount(0) // everything is in view
})

const held = (page: Page) => page.getByRole("button", { name: /^Back to the question: / })

for (const size of [
  { width: 1280, height: 800 },
  { width: 800, height: 600 },
  { width: 390, height: 844 },
])
  // Catches a long answer whose question is out of sight, and a sticky line that covers the question itself.
  test(`the question of a long answer is held over it at ${size.width} × ${size.height}`, async ({
    page,
    box,
  }) => {
    await page.setViewportSize(size)
    await signIn(page, box) // the sidebar is a drawer on narrow screens
    const question = "How long is a piece of string, and why would anybody want to know that at all?"
    const answer = Array.from({ length: 60 }, (_, index) => `Paragraph ${index}.`).join("\n\n")
    await openMessages(page, box, `held-${size.width}`, [
      { role: "user", content: question },
      { role: "assistant", content: answer },
      { role: "user", content: "The last." },
    ])
    await log(page).hover()
    await page.mouse.wheel(0, -700)
    await expect(held(page)).toHaveAccessibleName(`Back to the question: ${question}`)
    await expect(async () => {
      const [line, list] = [await held(page).boundingBox(), await log(page).boundingBox()]
      expect(line?.y).toBe(list?.y)
      expect(line?.height).toBeLessThan(40)
    }).toPass()
    await held(page).click()
    await expect(log(page).getByText(question)).toBeInViewport({ ratio: 1 })
    await expect(held(page)).toHaveCount(0)
  })
