// Measures whether answers resume when the built box that writes them is killed: node bench/resumed-answers.ts [kills]
import { setTimeout as wait } from "node:timers/promises"
import { createClient, type Client } from "../src/shared/client/http-client.ts"
import type { ChatEvent } from "../src/shared/contract/chat.ts"
import {
  type StartingBoxProcess,
  type BoxProcess,
  startTeamBoxes,
  waitUntilStandby,
} from "../src/box/testing/box-process.ts"
import { startModelServer } from "../src/box/testing/model-servers/model-server.ts"
import { percentile } from "./measure.ts"
import { printResults, type BenchResult } from "./result.ts"

const boxes = 3
const words = Array.from({ length: 60 }, (_, index) => `word${String(index)} `)
const wordEveryMs = 50
/** Words received before the box is killed; some are already stored. */
const heardBefore = 20
const timeoutMs = 60_000
const boxAddress = "http://127.0.0.1"

async function* slowly(): AsyncGenerator<string> {
  for (const word of words) {
    yield word
    await wait(wordEveryMs)
  }
}

/** Result of one answer whose box was killed. */
interface ResumedAnswer {
  /** Time from the kill to the first event of the rejoined stream, and to its first word. */
  firstEventMs: number
  firstWordMs: number
  isWhole: boolean
}

export async function run(kills = 20): Promise<BenchResult[]> {
  await using model = await startModelServer(() => ({ text: slowly() }))
  await using team = await startTeamBoxes()
  const begin = (name: string) => team.begin(name, {}, ["--model", model.baseUrl])
  const names = Array.from({ length: boxes }, (_, at) => `box${String(at)}`)
  const startingBoxes = new Map<string, StartingBoxProcess>()
  const follow = (name: string) => {
    const box = begin(name)
    startingBoxes.set(name, box)
    return box
  }
  const first = await follow(names[0] ?? "").ready
  const key = first.firstRunKey ?? ""
  for (const name of names.slice(1)) await waitUntilStandby(follow(name))
  const running = () =>
    Promise.any([...startingBoxes].map(async ([name, { ready }]) => ({ name, box: await ready })))

  const results: ResumedAnswer[] = []
  for (let kill = 0; kill < kills; kill++) {
    const { name, box } = await running()
    const waiting = names.filter((each) => each !== name).map((each) => startingBoxes.get(each))
    const asked = waiting[kill % waiting.length]
    if (!asked) throw new Error("No box waits.")
    const { url: baseUrl } = await waitUntilStandby(asked)
    const client = createClient({ baseUrl, headers: { "x-api-key": key } })
    results.push(await killWhileAnswering(client, `c${String(kill)}`, box))
    await waitUntilStandby(follow(name))
  }
  const of = (key: "firstEventMs" | "firstWordMs") => results.map((result) => result[key])
  const broken = results.filter(({ isWhole }) => !isWhole).length
  const longest = Math.max(...of("firstEventMs"))
  return [
    { name: "boxes killed in mid-answer", value: results.length, unit: "" },
    { name: "answers that aren't whole, once", value: broken, unit: "", target: "0", ok: broken === 0 },
    { name: "kill to the first event, median", value: percentile(of("firstEventMs"), 0.5), unit: "ms" },
    { name: "… longest", value: longest, unit: "ms", target: "≤3000", ok: longest <= 3000 },
    { name: "kill to the first word anew, median", value: percentile(of("firstWordMs"), 0.5), unit: "ms" },
    { name: "… longest", value: Math.max(...of("firstWordMs")), unit: "ms" },
  ]
}

async function killWhileAnswering(client: Client, id: string, box: BoxProcess): Promise<ResumedAnswer> {
  let heard = 0
  const messages = [{ role: "user" as const, content: "Count." }]
  try {
    for await (const event of client.chat.send({ body: { id, messages, boxAddress } }))
      if (event.type === "text-delta" && ++heard === heardBefore) box.child.kill("SIGKILL")
  } catch {
    // The stream breaks when the box is killed.
  }
  const killed = performance.now()
  const firsts = new Map<ChatEvent["type"], number>()
  while (!firsts.has("finish")) {
    if (performance.now() - killed > timeoutMs) throw new Error("The answer didn't continue.")
    try {
      for await (const { type } of client.chat.attach({ params: { chatId: id } }))
        if (!firsts.has(type)) firsts.set(type, performance.now() - killed)
    } catch {
      await wait(20)
    }
  }
  const { messages: stored } = (await client.conversations.read({ params: { id } })).chat
  const answer = stored.at(-1)
  return {
    firstEventMs: firsts.get("start") ?? Number.NaN,
    firstWordMs: firsts.get("text-delta") ?? Number.NaN,
    isWhole: answer?.finishReason === "stop" && answer.content === words.join(""),
  }
}

if (import.meta.main) printResults(await run(Number(process.argv[2] ?? 20)))
