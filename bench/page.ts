// The built page in a real browser: what is fetched before it can be used, how long that takes, and long lists.
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
const sentTogether = 50
const turns = 100

/** Sizes with gzip of the scripts that index.html names, in kB. */
async function initialScripts(): Promise<number> {
  const index = await readFile(join(renderer, "index.html"), "utf8")
  const names = [...index.matchAll(/"(\/assets\/[^"]+\.js)"/g)].map(([, name]) => name ?? "")
  const sizes = await Promise.all(
    names.map(async (name) => gzipSync(await readFile(join(renderer, name))).length),
  )
  return sizes.reduce((sum, size) => sum + size, 0) / 1000
}

/** Milliseconds from the start of the navigation until the message field has the focus. */
async function untilUsable(page: Page, url: string): Promise<number> {
  await page.goto("about:blank")
  await page.goto(url, { waitUntil: "commit" })
  await page.locator("textarea:focus").waitFor()
  return page.evaluate<number>("performance.now()")
}

/** Runs in the page: notes the time between frames. */
const countFrames = `
  globalThis.frames = []
  let last = performance.now()
  const next = (now) => {
    frames.push(now - last)
    last = now
    requestAnimationFrame(next)
  }
  requestAnimationFrame(next)`

/** The 95th percentile of the times between frames while the wheel is turned, in milliseconds. */
async function frameTime(page: Page): Promise<number> {
  await page.evaluate(countFrames)
  for (let turn = 0; turn < turns; turn++) await page.mouse.wheel(0, 2_000)
  return percentile(await page.evaluate<number[]>("frames"), 0.95)
}

export async function run(): Promise<BenchResult[]> {
  await using box = await startBox()
  await using tab = await openPage(box)
  const { page } = tab

  const times: number[] = []
  for (let index = 0; index < openings; index++) times.push(await untilUsable(page, box.url))

  const script = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  for (let sent = 0; sent < notifications; sent += sentTogether) {
    await Promise.all(
      Array.from({ length: sentTogether }, (_, index) =>
        script.notifications.send({ body: { title: `No. ${sent + index}`, silent: true } }),
      ),
    )
  }
  const floor = await frameTime(page) // nothing there to scroll
  await page.getByRole("button", { name: /^Notifications/ }).click()
  const rows = page.getByRole("dialog").locator("[data-row]")
  await rows.first().hover()
  const stopTrace = await traceMainThread(page)
  const frames = await frameTime(page)
  // What the processor did holds on a busy machine, too, where frames are late for other reasons.
  const busiest = Math.max(...(await stopTrace()))

  const scripts = await initialScripts()
  const usable = median(times)
  return [
    {
      name: "initial JavaScript with gzip",
      value: scripts,
      unit: "kB",
      target: "≤250",
      ok: scripts <= 250,
    },
    {
      name: "navigation to usable, on localhost",
      value: usable,
      unit: "ms",
      target: "≤500",
      ok: usable <= 500,
    },
    {
      name: "bell of 10,000 scrolled, p95 between frames",
      value: frames,
      unit: "ms",
      floor,
      target: "≤2× floor",
      ok: frames <= 2 * floor,
    },
    {
      name: "bell of 10,000 scrolled, most processor time of one task",
      value: busiest,
      unit: "ms",
      target: "≤50",
      ok: busiest <= 50,
    },
    { name: "rows drawn of 10,000", value: await rows.count(), unit: "" },
  ]
}

if (import.meta.main) printResults(await run())
