// The chat page with 500 long messages: opening it, scrolling up, and streaming an answer of 20 pages into it.
import type { Page } from "playwright-core"
import { startBox, type RunningBox } from "../e2e/running-box.ts"
import { traceMainThread } from "./main-thread.ts"
import { median } from "./measure.ts"
import { goTo, openPage } from "./open-page.ts"
import { printResults, type BenchResult } from "./result.ts"
import { startStreamingModel } from "./streaming-model.ts"

const storedMessages = 500
const tokensPerSecond = 200
/** About 20 pages. */
const answerParts = 24
const scrolledFrames = 300
const scrollStepPx = 120
const chatId = "long-chat"
/** Each uses a new browser that has never shown a chat. */
const coldOpenings = 4

/** About 2,500 characters that contain every kind of content answers can have. */
const longAnswer = (index: number): string =>
  [
    `## Part ${String(index)}`,
    ...Array.from({ length: 4 }, (_, n) =>
      `Paragraph ${String(n)} says **something** about *this*, with \`code\`, a [link](https://example.com) and `.repeat(
        3,
      ),
    ),
    [
      "```ts",
      ...Array.from({ length: 12 }, (_, n) => `const value${String(n)} = compute(${String(n)}, "text")`),
      "```",
    ].join("\n"),
    [
      "| name | value |",
      "| - | - |",
      ...Array.from({ length: 6 }, (_, n) => `| row ${String(n)} | ${String(n * n)} |`),
    ].join("\n"),
    ...Array.from(
      { length: 5 },
      (_, n) => `- item ${String(n)} of a list that is a little longer than a line of it`,
    ),
  ].join("\n\n")

/** Stores the chat with one request, as a client may send a history. */
async function storeConversation({ url, key }: RunningBox): Promise<void> {
  const messages = Array.from({ length: storedMessages - 1 }, (_, index) =>
    index % 2 === 0
      ? { role: "user", content: `Question ${String(index)}: what about it?` }
      : { role: "assistant", content: longAnswer(index) },
  )
  const response = await fetch(`${url}/api/ai/chat`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({ id: chatId, boxAddress: url, messages }),
  })
  if (!response.ok) throw new Error(`The chat wasn't stored: ${await response.text()}`)
  await response.text()
}

// Code that runs in the page is text, because this project has no types for browser objects.

/** Scrolls up step by step. Resolves to the maximum unexpected movement of the message in the middle, in pixels. */
const jumpScript = `new Promise((resolve) => {
  const scroller = document.querySelector('[role="log"]')
  const middle = scroller.getBoundingClientRect().top + scroller.clientHeight / 2
  const anchor = () =>
    [...scroller.querySelectorAll("[data-index]")].find((row) => {
      const { top, bottom } = row.getBoundingClientRect()
      return top <= middle && bottom >= middle
    })
  let left = ${scrolledFrames}
  let largest = 0
  const next = () => {
    const row = anchor()
    if (--left === 0 || !row) return resolve(largest)
    const before = row.getBoundingClientRect().top
    scroller.scrollTop -= ${scrollStepPx}
    requestAnimationFrame(() => requestAnimationFrame(() => {
      const moved = row.getBoundingClientRect().top - before
      if (row.isConnected) largest = Math.max(largest, Math.abs(moved - ${scrollStepPx}))
      next()
    }))
  }
  next()
})`

const watchScript = `{
  window.longTasks = []
  new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: "longtask" })
}`

/** Waits in the page. Playwright would look for a button's role every half second, which computes styles for the whole page. */
const createWaitScript = (condition: string): string => `new Promise((resolve) => {
  const timer = setInterval(() => {
    if (!(${condition})) return
    clearInterval(timer)
    resolve()
  }, 100)
})`
const answered = `!document.querySelector('button[aria-label="Stop"]')`

interface StreamTasks {
  /** Wall time of tasks over 50 ms, as the user experiences them. */
  long: number[]
  /** Maximum processor time of one task: what remains of the wall time on an idle machine. */
  busiest: number
}

/** Asks a question and watches the page's main thread until the answer is stored. Times are in milliseconds. */
async function streamTasks(page: Page): Promise<StreamTasks> {
  const stopTrace = await traceMainThread(page)
  await page.evaluate(watchScript)
  await page.getByLabel("Message", { exact: true }).fill("Tell me everything once more.")
  await page.keyboard.press("Enter")
  await page.getByRole("button", { name: "Stop" }).waitFor()
  await page.evaluate(createWaitScript(answered))
  const long = await page.evaluate<number[]>("longTasks")
  return { long, busiest: Math.max(...(await stopTrace())) }
}

/** Opens the chat in a page that has finished prefetching, as it has by the time a user finds the chat in the list. */
async function openChat(page: Page): Promise<number> {
  await page.waitForLoadState("networkidle")
  return goTo(page, `/inter/chat/${chatId}`, 'article[aria-label="Answer"] h2')
}

export async function run(): Promise<BenchResult[]> {
  const answer = Array.from({ length: answerParts }, (_, index) => longAnswer(index)).join("\n\n")
  await using model = await startStreamingModel(answer, tokensPerSecond)
  await using box = await startBox("--model", model.url)
  await storeConversation(box)
  const openings: number[] = []
  while (openings.length < coldOpenings) {
    await using tab = await openPage(box)
    openings.push(await openChat(tab.page))
  }
  await using tab = await openPage(box)
  const { page } = tab
  openings.push(await openChat(page))
  const opened = median(openings)
  // Until a piece is parsed, it is shown as raw text. The parsed form may be shorter.
  await page.evaluate(createWaitScript("!document.querySelector('.unread')"))
  // Only user input makes the list stop following its end; a script that scrolls doesn't.
  await page.mouse.move(640, 300)
  await page.mouse.wheel(0, -scrollStepPx)
  await page.getByRole("button", { name: "Latest" }).waitFor()
  const jump = await page.evaluate<number>(jumpScript)
  await page.getByRole("button", { name: "Latest" }).click()
  const { long, busiest } = await streamTasks(page)
  const longest = Math.max(0, ...long)
  return [
    {
      name: "opening a chat with 500 long messages",
      value: opened,
      unit: "ms",
      target: "≤400",
      ok: opened <= 400,
    },
    { name: "largest jump while scrolling up", value: jump, unit: "px", target: "≤2", ok: jump <= 2 },
    {
      name: "tasks over 50 ms while an answer streams at 200 tokens/s",
      value: long.length,
      unit: "tasks",
      target: "0",
      ok: long.length === 0,
    },
    { name: "longest such task", value: longest, unit: "ms", target: "≤50", ok: longest <= 50 },
    {
      name: "highest processor time of a task",
      value: busiest,
      unit: "ms",
      target: "≤30",
      ok: busiest <= 30,
    },
  ]
}

if (import.meta.main) printResults(await run())
