// Questions to a person: time until the waiting script has the answer, from the click on a choice in the bell, and from the app's request.
import { pathToFileURL } from "node:url"
import { startBox } from "../e2e/running-box.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { signIn, tokenIn } from "../src/box/testing/clients.ts"
import { median, percentile } from "./measure.ts"
import { openPage } from "./open-page.ts"
import { printResults, type BenchResult } from "./result.ts"

const rounds = 60
const warming = 10
const targetMs = 100

/** Runs in the page: records when something is clicked, with a clock that this process shares. */
const noteClicks = `addEventListener("click", () => (globalThis.clickedAt = performance.timeOrigin + performance.now()), true)`
const moment = () => performance.timeOrigin + performance.now()

export async function run(): Promise<BenchResult[]> {
  await using box = await startBox()
  const script = createClient({ baseUrl: box.url, headers: { "x-api-key": box.key } })

  /** Milliseconds from the moment that `answer` returns until the script has the answer, without the warm-up rounds. */
  async function measure(answer: (id: string, title: string) => Promise<number>): Promise<number[]> {
    const times: number[] = []
    for (let round = 0; round < rounds; round++) {
      const title = `Question ${round}?`
      const body = { title, choices: ["yes", "no"], expiresInSeconds: 600 }
      const { question } = await script.questions.ask({ body })
      const waiting = { params: { id: question.id }, query: { wait: 60 } }
      const told = script.questions.read(waiting).then(moment)
      const given = await answer(question.id, title)
      times.push((await told) - given)
    }
    return times.slice(warming)
  }

  const app = createClient({
    baseUrl: box.url,
    headers: await signIn(box.url, tokenIn(await box.signInLink())),
  })
  const fromRequest = await measure(async (id) => {
    const sent = moment()
    await app.questions.answer({ params: { id }, body: { choice: "yes" } })
    return sent
  })

  await script.notifications.markAllRead()
  await using tab = await openPage(box)
  const { page } = tab
  await page.evaluate(noteClicks)
  await page.getByRole("button", { name: /^Inbox/ }).click()
  const fromClick = await measure(async (_id, title) => {
    await page.getByRole("group", { name: title }).first().getByRole("button", { name: "yes" }).click()
    return page.evaluate<number>("globalThis.clickedAt")
  })

  const late = percentile(fromClick, 0.95)
  return [
    { name: "question: click to the script's answer, p50", value: median(fromClick), unit: "ms" },
    {
      name: "question: click to the script's answer, p95",
      value: late,
      unit: "ms",
      target: `≤${targetMs}`,
      ok: late <= targetMs,
    },
    {
      name: "question: the app's request to the script's answer, p50",
      value: median(fromRequest),
      unit: "ms",
    },
    {
      name: "question: the app's request to the script's answer, p95",
      value: percentile(fromRequest, 0.95),
      unit: "ms",
    },
  ]
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) printResults(await run())
