// Asking a person: from the click on a choice in the bell until the script that waits has the answer.
import { pathToFileURL } from "node:url"
import { startBox } from "../e2e/running-box.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { median, percentile } from "./measure.ts"
import { openPage } from "./open-page.ts"
import { printResults, type BenchResult } from "./result.ts"

const rounds = 60
const warming = 10
const targetMs = 100

/** Runs in the page: notes when something is clicked, by the clock that this process has, too. */
const noteClicks = `addEventListener("click", () => (globalThis.clickedAt = performance.timeOrigin + performance.now()), true)`

export async function run(): Promise<BenchResult[]> {
  await using box = await startBox()
  await using tab = await openPage(box)
  const { page } = tab
  const script = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })
  await page.evaluate(noteClicks)
  await page.getByRole("button", { name: /^Inbox/ }).click()
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const title = `Question ${round}?`
    const body = { title, choices: ["yes", "no"], expiresInSeconds: 600 }
    const { question } = await script.questions.ask({ body })
    const answered = script.questions
      .read({ params: { id: question.id }, query: { wait: 60 } })
      .then(() => performance.timeOrigin + performance.now())
    await page.getByRole("group", { name: title }).getByRole("button", { name: "yes" }).click()
    times.push((await answered) - (await page.evaluate<number>("globalThis.clickedAt")))
  }
  const measured = times.slice(warming)
  const late = percentile(measured, 0.95)
  const name = "question: click to the script's answer"
  return [
    { name: `${name}, p50`, value: median(measured), unit: "ms" },
    { name: `${name}, p95`, value: late, unit: "ms", target: `≤${targetMs}`, ok: late <= targetMs },
    { name: `${name}, longest of ${measured.length}`, value: Math.max(...measured), unit: "ms" },
  ]
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) printResults(await run())
