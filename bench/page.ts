// The built page in a real browser: downloads before it is usable, the time they take, and long lists.
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import type { Page } from "playwright-core"
import { startBox } from "../e2e/running-box.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { traceMainThread } from "./main-thread.ts"
import { median, percentile } from "./measure.ts"
import { openPage } from "./open-page.ts"
import { printResults, type BenchResult } from "./result.ts"

const renderer = fileURLToPath(new URL("../out/renderer/", import.meta.url))
const openings = 7
const notifications = 10_000
const batchSize = 50
const turns = 100

/** Total gzip size in kB of the scripts that index.html names. */
async function initialScripts(): Promise<number> {
  const index = await readFile(join(renderer, "index.html"), "utf8")
  const names = [...index.matchAll(/"(\/assets\/[^"]+\.js)"/g)].map(([, name]) => name ?? "")
  const sizes = await Promise.all(
    names.map(async (name) => gzipSync(await readFile(join(renderer, name))).length),
  )
  return sizes.reduce((sum, size) => sum + size, 0) / 1000
}

/** Runs in the page: records when the message field gets the focus. */
const noteFocus = `addEventListener("focusin", ({ target }) => {
  if (target.tagName === "TEXTAREA") globalThis.usableAt ??= performance.now()
}, true)`

/** One opening, from the start of the navigation until the message field has the focus. */
interface Opening {
  ms: number
  /** Processor time of the page's main thread in ms, which is valid on a busy machine too. */
  processorMs: number
  /** Requests to the box up to that moment. */
  calls: number
}

async function waitUntilUsable(page: Page, url: string): Promise<Opening> {
  const inspector = await page.context().newCDPSession(page)
  await inspector.send("Performance.enable", { timeDomain: "threadTicks" })
  const processorMs = async () => {
    const { metrics } = await inspector.send("Performance.getMetrics")
    return 1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0)
  }
  await page.goto("about:blank")
  const before = await processorMs()
  await page.goto(url, { waitUntil: "commit" })
  await page.locator("textarea:focus").waitFor()
  const after = await processorMs()
  await inspector.detach()
  // A page that moves to another process counts from zero.
  const taken = after < before ? after : after - before
  const [ms = 0, calls = 0] = await page.evaluate<
    number[]
  >(`[usableAt, performance.getEntriesByType("resource")
    .filter(({ name, startTime }) => name.includes("/api/") && startTime < usableAt).length]`)
  return { ms, processorMs: taken, calls }
}

/** Runs in the page: records the time between frames. */
const countFrames = `
  globalThis.frames = []
  let last = performance.now()
  const next = (now) => {
    frames.push(now - last)
    last = now
    requestAnimationFrame(next)
  }
  requestAnimationFrame(next)`

/** The 95th percentile of the times between frames while the wheel turns, in milliseconds. */
async function frameTime(page: Page): Promise<number> {
  await page.evaluate(countFrames)
  for (let turn = 0; turn < turns; turn++) await page.mouse.wheel(0, 2_000)
  return percentile(await page.evaluate<number[]>("frames"), 0.95)
}

export async function run(): Promise<BenchResult[]> {
  await using box = await startBox()
  await using tab = await openPage(box)
  const { page } = tab

  await page.addInitScript(noteFocus)
  const opened: Opening[] = []
  for (let index = 0; index < openings; index++) opened.push(await waitUntilUsable(page, box.url))

  const script = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  for (let sent = 0; sent < notifications; sent += batchSize) {
    await Promise.all(
      Array.from({ length: batchSize }, (_, index) =>
        script.notifications.send({ body: { title: `No. ${sent + index}`, silent: true } }),
      ),
    )
  }
  const floor = await frameTime(page) // there is nothing to scroll yet
  await page.getByRole("button", { name: /^Inbox/ }).click()
  const rows = page.getByRole("dialog").locator("[data-row]")
  await rows.first().hover()
  const stopTrace = await traceMainThread(page)
  const frames = await frameTime(page)
  // The processor time is valid on a busy machine too, where frames are late for other reasons.
  const busiest = Math.max(...(await stopTrace()))

  const scripts = await initialScripts()
  const usable = median(opened.map(({ ms }) => ms))
  const calls = Math.max(...opened.map(({ calls }) => calls))
  return [
    {
      name: "initial JavaScript, gzip",
      value: scripts,
      unit: "kB",
      target: "≤200",
      ok: scripts <= 200,
    },
    {
      name: "navigation to usable, on localhost",
      value: usable,
      unit: "ms",
      target: "≤400",
      ok: usable <= 400,
    },
    {
      name: "processor time of the page's thread until usable",
      value: median(opened.map(({ processorMs }) => processorMs)),
      unit: "ms",
    },
    {
      name: "requests to the server until usable",
      value: calls,
      unit: "",
      target: "1",
      ok: calls === 1,
    },
    {
      name: "scrolling 10,000 notifications, p95 between frames",
      value: frames,
      unit: "ms",
      floor,
      target: "≤2× floor",
      ok: frames <= 2 * floor,
    },
    {
      name: "scrolling 10,000 notifications, highest processor time of a task",
      value: busiest,
      unit: "ms",
      target: "≤50",
      ok: busiest <= 50,
    },
    { name: "rows in the DOM for 10,000 notifications", value: await rows.count(), unit: "" },
  ]
}

if (import.meta.main) printResults(await run())
