// Latency that the box adds to a model server's answers: node bench/model-servers.ts One server on this computer is called directly,
// through the box's chat completions, and in chats, alternately.
import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { createParser } from "eventsource-parser"
import { newId } from "../src/box/core/ids.ts"
import { median } from "./measure.ts"
import { endProcess, startBuiltBox } from "./processes.ts"
import { printResults, type BenchResult } from "./result.ts"
import { atMost } from "./watched-box.ts"

const tokensPerSecond = 200
const tokens = 400
/** Answer length when only the first token is measured. The end of the answer, which is stored, must not arrive with the first token. */
const fewTokens = 4
const rounds = 5
const warmUp = 20
const questions = 200
/** Maximum time the box may add to a first token, in ms, and minimum share of the rate that it must keep, in %. */
const maxAdded = 5
const minKept = 99

interface Asked {
  url: string
  headers: Record<string, string>
  body: () => object
}
interface Answer {
  firstMs: number
  perSecond: number
}

export async function run(): Promise<BenchResult[]> {
  await using stack = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), "bench-model-servers-"))
  stack.defer(() => rm(dataDir, { recursive: true, force: true }))
  const server = stack.use(await startServer())
  const box = await startBuiltBox(dataDir)
  stack.defer(() => endProcess(box))
  const [url, key] = [box.ready["url"] ?? "", box.ready["firstRunKey"] ?? ""]
  const post = createPost({ "x-api-key": key })
  const { server: added } = (await post(`${url}/api/public/models/servers`, {
    name: "Bench",
    url: server.url,
  })) as {
    server: { models: { id: string }[] }
  }
  await post(`${url}/api/public/models/choice`, { role: "chat", modelId: added.models[0]?.id }, "PUT")
  const messages = [{ role: "user", content: "Say something." }]
  const ways = {
    directly: {
      url: `${server.url}/chat/completions`,
      headers: {},
      body: () => ({ stream: true, messages }),
    },
    completions: {
      url: `${url}/api/v1/chat/completions`,
      headers: { "x-api-key": key },
      body: () => ({ stream: true, messages }),
    },
    chats: {
      url: `${url}/api/ai/chat`,
      headers: { "x-api-key": key },
      body: () => ({ id: newId(), boxAddress: url, messages }),
    },
  } satisfies Record<string, Asked>
  return [...(await firstTokens(server, ways)), ...(await rates(server, ways))]
}

type Ways = Record<"directly" | "completions" | "chats", Asked>

async function firstTokens(server: Server, ways: Ways): Promise<BenchResult[]> {
  server.tokens = fewTokens
  const took: Record<keyof Ways, number[]> = { directly: [], completions: [], chats: [] }
  const names = Object.keys(ways) as (keyof Ways)[]
  for (let round = 0; round < warmUp + questions; round++)
    for (const name of names) {
      const { firstMs } = await ask(ways[name])
      if (round >= warmUp) took[name].push(firstMs)
    }
  const floor = median(took.directly)
  const more = (name: keyof Ways) => median(took[name].map((ms, index) => ms - (took.directly[index] ?? 0)))
  return [
    { name: "first token of a model server, without the box", value: floor, unit: "ms" },
    { name: "first token through /v1/chat/completions", value: median(took.completions), unit: "ms", floor },
    atMost("time added by /v1/chat/completions", more("completions"), "ms", maxAdded),
    { name: "first token in a chat", value: median(took.chats), unit: "ms", floor },
    atMost("time added by a chat", more("chats"), "ms", maxAdded),
  ]
}

async function rates(server: Server, ways: Ways): Promise<BenchResult[]> {
  server.tokens = tokens
  const kept: Record<"completions" | "chats", number[]> = { completions: [], chats: [] }
  const own: number[] = []
  for (let round = 0; round < rounds; round++) {
    const { perSecond } = await ask(ways.directly)
    own.push(perSecond)
    for (const name of ["completions", "chats"] as const)
      kept[name].push(((await ask(ways[name])).perSecond / perSecond) * 100)
  }
  const share = (name: keyof typeof kept) => {
    const value = median(kept[name])
    return { value, unit: "%", floor: 100, target: `≥${minKept}`, ok: value >= minKept }
  }
  return [
    {
      name: "token rate of a model server, without the box",
      value: median(own),
      unit: "/s",
      floor: tokensPerSecond,
    },
    { name: "token rate through /v1/chat/completions", ...share("completions") },
    { name: "token rate in a chat", ...share("chats") },
  ]
}

/** Asks a question and reads the whole answer. */
async function ask({ url, headers, body }: Asked): Promise<Answer> {
  const asked = performance.now()
  const response = await fetch(url, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body()),
  })
  if (!response.ok || !response.body) throw new Error(`${url}: ${await response.text()}`)
  let pieces = 0
  let [first, last] = [Number.NaN, Number.NaN]
  const parser = createParser({
    onEvent({ data }) {
      if (!data.includes("word")) return
      last = performance.now()
      if (pieces++ === 0) first = last
    },
  })
  const decoder = new TextDecoder()
  for await (const bytes of response.body) parser.feed(decoder.decode(bytes, { stream: true }))
  if (pieces === 0) throw new Error(`${url} said nothing.`)
  return { firstMs: first - asked, perSecond: ((pieces - 1) * 1_000) / (last - first) }
}

const createPost =
  (headers: Record<string, string>) =>
  async (url: string, body: object, method: "POST" | "PUT" = "POST"): Promise<unknown> => {
    const sent = { ...headers, "content-type": "application/json" }
    const answer = await fetch(url, { method, headers: sent, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${url}: ${await answer.text()}`)
    return answer.json()
  }

interface Server extends AsyncDisposable {
  url: string
  /** Number of tokens in each answer; the first one is sent immediately. */
  tokens: number
}

/** A model server that sends its tokens one by one at fixed times. */
async function startServer(): Promise<Server> {
  const chunk = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
  const write = (response: ServerResponse, wanted: number) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    const startedAt = performance.now()
    const next = (sent: number) => {
      if (sent === wanted) return void response.end(`${chunk({}, "stop")}data: [DONE]\n\n`)
      response.write(chunk({ content: "word " }))
      const due = startedAt + ((sent + 1) * 1_000) / tokensPerSecond
      if (sent + 1 === wanted) next(wanted)
      else setTimeout(() => next(sent + 1), Math.max(0, due - performance.now()))
    }
    next(0)
  }
  const server = createServer((request, response) => {
    request.resume()
    if (request.url === "/v1/models") response.end(JSON.stringify({ data: [{ id: "steady" }] }))
    else if (request.method === "POST") request.on("end", () => write(response, started.tokens))
    else response.writeHead(404).end()
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const started: Server = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    tokens: 1,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
  return started
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) printResults(await run())
