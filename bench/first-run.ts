// Duration of a new user's first minutes in a fresh box without a model. A directory is picked and a question is typed and sent; only the
// machine's part is measured, until a citation is drawn.
import { existsSync } from "node:fs"
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { extname, join } from "node:path"
import type { Page } from "playwright-core"
import { setTimeout as wait } from "node:timers/promises"
import { startBox, type RunningBox } from "../e2e/running-box.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { corpus } from "./corpus-words.ts"
import { median } from "./measure.ts"
import { openBrowser } from "./open-page.ts"
import { printResults, type BenchResult } from "./result.ts"

const runs = 3
const limitMs = 60_000
/** Typical number of files in a user's first folder. */
const maxDocuments = 40
/** Written documents, not scans. OCR takes time, during which the user can already ask about the rest. */
const written = new Set([".docx", ".doc", ".html", ".md", ".odt", ".pdf", ".pptx", ".txt", ".xlsx"])
const scanned = new Set(["cardinal.pdf", "ccitt.pdf", "testOCR.pdf"])
/** This file is neither the first nor the last among the others. */
const asked = {
  name: "lease.md",
  text: "# Lease\n\nThe notice period is six months. The costs of repairs are the landlord's.\n",
  question: "How long is the notice period of the lease?",
}

interface FirstRun {
  clicks: number
  /** Time from picking the directory until a question can be asked, and until the document it is about is indexed. */
  readyMs: number
  documentReadMs: number
  /** Time from sending the question until its answer with a citation is drawn. */
  answerMs: number
}

/** Writes real documents if there are any, and one that the question is about. Returns their number. */
async function layOut(directory: string): Promise<number> {
  const all = existsSync(corpus) ? await readdir(corpus) : []
  const names = all.filter((name) => written.has(extname(name)) && !scanned.has(name)).slice(0, maxDocuments)
  for (const name of names) await cp(join(corpus, name), join(directory, name))
  await writeFile(join(directory, asked.name), asked.text)
  return names.length + 1
}

/** The moment at which an expression becomes true in the page. It is measured in the page, because Playwright checks only now and then. */
const waitUntilTrue = (page: Page, expression: string): Promise<number> =>
  page.evaluate<number>(`new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error("It isn't drawn.")), ${String(limitMs)})
    const look = () => {
      if (!(${expression})) return
      observer.disconnect()
      requestAnimationFrame(() => setTimeout(() => resolve(Date.now())))
    }
    const observer = new MutationObserver(look)
    observer.observe(document, { childList: true, subtree: true, attributes: true })
    look()
  })`)

const canAsk = `[...document.querySelectorAll("button")].some(
  (button) => button.textContent.includes("Ask about them") && !button.disabled)`
const isCited = `document.querySelector('article[aria-label="Answer"] button[aria-label^="Source "]')`

/** The moment at which the document of the question is indexed. */
async function waitUntilRead({ url, key }: RunningBox): Promise<number> {
  const client = createClient({ baseUrl: url, headers: { "x-api-key": key } })
  const [folder] = (await client.folders.list()).vectors
  const params = { id: folder?.id ?? "" }
  for (const until = Date.now() + limitMs; Date.now() < until; await wait(20)) {
    const { files } = await client.files.list({ params, query: { search: asked.name, status: "completed" } })
    if (files.length > 0) return Date.now()
  }
  throw new Error("It isn't read.")
}

async function firstRun(directory: string): Promise<FirstRun> {
  await using box = await startBox()
  await using tab = await openBrowser()
  const { page } = tab
  let clicks = 0
  await page.goto(await box.signInLink())
  const choose = page.getByRole("button", { name: "Choose a directory…" })
  await choose.waitFor()
  const chosen = page.waitForEvent("filechooser")
  await choose.click()
  clicks++
  const chooser = await chosen
  const picked = Date.now()
  await chooser.setFiles(directory)
  const readyAt = await waitUntilTrue(page, canAsk)
  const documentReadAt = await waitUntilRead(box)
  await page.getByRole("button", { name: "Ask about them" }).click()
  clicks++
  await page.getByRole("button", { name: /^Don’t answer from / }).waitFor()
  await page.getByLabel("Message", { exact: true }).fill(asked.question)
  const sent = Date.now()
  await page.keyboard.press("Enter")
  const answeredAt = await waitUntilTrue(page, isCited)
  return {
    clicks,
    readyMs: readyAt - picked,
    documentReadMs: documentReadAt - picked,
    answerMs: answeredAt - sent,
  }
}

export async function run(): Promise<BenchResult[]> {
  const root = await mkdtemp(join(tmpdir(), "casella-first-run-"))
  try {
    const directory = join(root, "papers")
    await mkdir(directory)
    const documents = await layOut(directory)
    const done: FirstRun[] = []
    for (let index = 0; index < runs; index++) done.push(await firstRun(directory))
    const clicks = Math.max(...done.map((one) => one.clicks))
    const all = median(done.map(({ documentReadMs, answerMs }) => documentReadMs + answerMs)) / 1_000
    return [
      { name: "first run to a cited answer, clicks", value: clicks, unit: "", target: "≤2", ok: clicks <= 2 },
      { name: "… the machine's time", value: all, unit: "s", target: "≤10", ok: all <= 10 },
      {
        name: "… picked directory to the first question",
        value: median(done.map(({ readyMs }) => readyMs)),
        unit: "ms",
      },
      {
        name: "… picked directory to its document read",
        value: median(done.map(({ documentReadMs }) => documentReadMs)),
        unit: "ms",
      },
      {
        name: "… question to its cited answer",
        value: median(done.map(({ answerMs }) => answerMs)),
        unit: "ms",
      },
      { name: "… documents in the directory", value: documents, unit: "" },
    ]
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

if (import.meta.main) printResults(await run())
