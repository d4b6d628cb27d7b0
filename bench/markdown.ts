// Texts of one megabyte that are the hardest to parse or draw as Markdown: the page's longest task for each.
import type { Page } from "playwright-core"
import { startBox, type RunningBox } from "../e2e/running-box.ts"
import { hostileTexts } from "./hostile-markdown.ts"
import { traceMainThread } from "./main-thread.ts"
import { goTo, openPage } from "./open-page.ts"
import { printResults, type BenchResult } from "./result.ts"
import { startStreamingModel } from "./streaming-model.ts"

const maxMs = 100
/** Maximum time to watch each text. */
const limitMs = 8000
const maxWaitMs = 60_000
const only = process.env["MARKDOWN_ONLY"]

/** Stores a chat whose first answer is the text. */
async function store({ url, key }: RunningBox, id: string, text: string): Promise<void> {
  const messages = [
    { role: "user", content: "Say it." },
    { role: "assistant", content: text },
    { role: "user", content: "And again." },
  ]
  const response = await fetch(`${url}/api/ai/chat`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({ id, boxAddress: url, messages }),
  })
  if (!response.ok) throw new Error(`The chat wasn't stored: ${await response.text()}`)
  await response.text()
}

/** Resolves when the answer is fully parsed and its text hasn't grown for a while, or at the limit. */
const settledScript = `new Promise((resolve) => {
  const limit = performance.now() + ${String(limitMs)}
  let size = -1
  let since = performance.now()
  const look = () => {
    const now = performance.now()
    const markdown = document.querySelector('article[aria-label="Answer"] .markdown')
    const next = markdown?.getElementsByTagName("*").length ?? -1
    if (next !== size || document.querySelector(".unread")) [size, since] = [next, now]
    if (now - since > 1000 || now > limit) resolve(size)
    else setTimeout(look, 100)
  }
  look()
})`

async function measureLongestTask(
  page: Page,
  chatId: string,
): Promise<{ busiest: number; elements: number }> {
  await goTo(page, "/inter/chat", "textarea")
  const stopTrace = await traceMainThread(page)
  await goTo(page, `/inter/chat/${chatId}`, 'article[aria-label="Answer"] .markdown')
  // Views the answer from its start, where everything drawn is visible.
  const elements = await page.evaluate<number>(settledScript)
  return { busiest: Math.max(...(await stopTrace())), elements }
}

/** Result of the work if it arrives within the limit. A page or trace that never responds doesn't end the measurement. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), ms)
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}

/** Uses a new browser, so that one text can't affect the next. */
async function measure(box: RunningBox, name: string, text: string): Promise<BenchResult> {
  const id = name.replaceAll(/\W+/g, "-")
  await store(box, id, text)
  await using tab = await openPage(box)
  const task = measureLongestTask(tab.page, id)
  task.catch(() => undefined)
  const found = await within(maxWaitMs, task)
  const busiest = found?.busiest ?? Infinity
  process.stderr.write(`${name}: ${busiest.toFixed(0)} ms, ${String(found?.elements)} elements\n`)
  return {
    name: `1 MB of Markdown, ${name}: most processor time of one task`,
    value: busiest,
    unit: "ms",
    target: `≤${String(maxMs)}`,
    ok: busiest <= maxMs,
  }
}

export async function run(): Promise<BenchResult[]> {
  await using model = await startStreamingModel("Yes.", 100)
  await using box = await startBox("--model", model.url)
  const results: BenchResult[] = []
  for (const [name, text] of Object.entries(hostileTexts)) {
    if (only === undefined || name.includes(only)) results.push(await measure(box, name, text))
  }
  return results
}

if (import.meta.main) printResults(await run())
