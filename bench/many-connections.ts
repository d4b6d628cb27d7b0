// A team's open connections to three boxes that share a database: node bench/many-connections.ts [answers] [sockets] [seconds between
// tokens] The model server and the clients are separate processes. Each connection takes one descriptor of a box, and a second one if that
// box is on standby.
import { fork, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { readdirSync } from "node:fs"
import { createServer, request, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as wait } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { createParser } from "eventsource-parser"
import { WebSocket } from "ws"
import { getKey, signIn, tokenIn } from "../src/box/testing/clients.ts"
import {
  type StartingBoxProcess,
  startTeamBoxes,
  waitUntilStandby,
  type TeamBoxes,
} from "../src/box/testing/box-process.ts"
import { newId } from "../src/box/core/ids.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { socketPath } from "../src/shared/contract/socket.ts"
import { freePort } from "../src/shared/testing/free-port.ts"
import { elapsed, percentile } from "./measure.ts"
import { getChildren, getPostgres, residentMb, spentMs } from "./processes.ts"
import { printResults, type BenchResult } from "./result.ts"

const boxes = 3
const people = 100
const opensAtOnce = 16
const broadcasts = 5
const settlingMs = 10_000
const steadyMs = 30_000
const endingMs = 60_000
const betweenGetsMs = 50
const timeoutMs = 300_000

/** An order for the clients. They reply to each with its result. */
type Order =
  | { does: "sockets"; urls: string[]; keys: string[]; count: number }
  | { does: "streams"; urls: string[]; keys: string[]; count: number }
  | { does: "hear"; count: number }
  | { does: "read" }
  | { does: "end"; count: number }
interface Reports {
  sockets: { open: number }
  streams: { open: number; refused: Record<string, number> }
  hear: { ms: number }
  read: { lags: number[] }
  end: { answers: EndedAnswer[] }
}
/** An answer as its client received it. */
interface EndedAnswer {
  chatId: string
  /** The finish reason from its last event; "cut off" if there is none. */
  reason: string
  tokens: number
  /** Errors from its events and its connection. */
  errors: string[]
  endedAt: string
}

/**
 * A model server that sends the time as its answer: once immediately, then repeatedly after it is told to continue, until it is told to
 * end.
 */
function serveModel(everyMs: number): void {
  const chunk = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
  const writing = new Set<ServerResponse>()
  const sayTime = (response: ServerResponse) => response.write(chunk({ content: `${Date.now()} ` }))
  const server = createServer((asked, response) => {
    asked.resume()
    if (asked.url?.endsWith("/models") === true) {
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify({ object: "list", data: [{ id: "steady", object: "model" }] }))
      return
    }
    response.setHeader("content-type", "text/event-stream")
    sayTime(response)
    writing.add(response)
    response.on("close", () => writing.delete(response))
  })
  server.listen({ port: 0, host: "127.0.0.1", backlog: 4_096 }, () =>
    process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` }),
  )
  const timers: NodeJS.Timeout[] = []
  /** Staggers the answers at random. */
  const continueAnswers = () => {
    for (const response of writing)
      timers.push(
        setTimeout(() => timers.push(setInterval(sayTime, everyMs, response)), Math.random() * everyMs),
      )
  }
  const end = () => {
    timers.forEach((timer) => clearTimeout(timer))
    for (const response of writing)
      setTimeout(() => response.end(`${chunk({}, "stop")}data: [DONE]\n\n`), Math.random() * endingMs)
  }
  process.on("message", (told) => (told === "go on" ? continueAnswers() : end()))
}

/** Runs all users' programs and pages. */
function runClients(): void {
  let heard = 0
  let heardAll: (() => void) | undefined
  let lags: number[] = []
  const ended: EndedAnswer[] = []
  let overAll: (() => void) | undefined

  async function openSocket(url: string, key: string): Promise<void> {
    const socket = new WebSocket(url.replace("http", "ws") + socketPath, { headers: { "x-api-key": key } })
    socket.on("error", () => undefined)
    socket.on("message", (data: Buffer) => {
      if (!data.includes('"settings"')) return
      heard++
      heardAll?.()
    })
    await once(socket, "message")
  }

  /** Settles with the status when the answer starts. */
  function openStream(url: string, key: string): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<number>()
    const messages = [{ role: "user", content: "What time is it?" }]
    const asking = request(`${url}/api/ai/chat`, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      agent: false,
    })
    const chatId = newId()
    const told: EndedAnswer = { chatId, reason: "cut off", tokens: 0, errors: [], endedAt: "" }
    const parser = createParser({
      onEvent({ data }) {
        const event = JSON.parse(data) as { type: string; textDelta?: string; finishReason?: string }
        if (event.type === "finish") told.reason = event.finishReason ?? ""
        if (event.type === "error") told.errors.push(data)
        if (event.type !== "text-delta") return
        for (const sentAt of event.textDelta?.match(/\d+/g) ?? []) {
          told.tokens++
          lags.push(Date.now() - Number(sentAt))
        }
      },
    })
    asking.on("error", () => resolve(0))
    asking.on("response", (answer) => {
      resolve(answer.statusCode ?? 0)
      if (answer.statusCode !== 200) return void answer.resume()
      answer.setEncoding("utf8").on("data", (text: string) => parser.feed(text))
      answer.on("error", (error) => told.errors.push(error.message))
      answer.on("close", () => {
        ended.push({ ...told, endedAt: new Date().toISOString() })
        overAll?.()
      })
    })
    asking.end(JSON.stringify({ id: chatId, messages, boxAddress: url }))
    return promise
  }

  async function openAll<T>(count: number, open: (index: number) => Promise<T>): Promise<T[]> {
    const all: T[] = []
    let next = 0
    const opener = async () => {
      while (next < count) all.push(await open(next++))
    }
    await Promise.all(Array.from({ length: opensAtOnce }, opener))
    return all
  }
  const at = <T>(all: T[], index: number) => all[index % all.length] as T

  async function obey(order: Order): Promise<Reports[keyof Reports]> {
    if (order.does === "sockets") {
      const { urls, keys, count } = order
      await openAll(count, (index) => openSocket(at(urls, index), at(keys, Math.floor(index / boxes))))
      return { open: count }
    }
    if (order.does === "streams") {
      const { urls, keys, count } = order
      const statuses = await openAll(count, (index) =>
        openStream(at(urls, index), at(keys, Math.floor(index / boxes))),
      )
      const refused: Record<string, number> = {}
      for (const status of statuses) if (status !== 200) refused[status] = (refused[status] ?? 0) + 1
      return { open: statuses.filter((status) => status === 200).length, refused }
    }
    if (order.does === "hear") {
      const startedAt = performance.now()
      heard = 0
      process.send?.("listening")
      await new Promise<void>((resolve) => {
        heardAll = () => heard >= order.count && resolve()
      })
      return { ms: performance.now() - startedAt }
    }
    if (order.does === "read") {
      const read = lags
      lags = []
      return { lags: read }
    }
    await new Promise<void>((resolve) => {
      overAll = () => ended.length >= order.count && resolve()
      overAll()
    })
    return { answers: ended }
  }
  process.on("message", (order: Order) => void obey(order).then((report) => process.send?.(report)))
}

/** Sends the clients an order. */
async function order<Does extends keyof Reports>(
  clients: ChildProcess,
  given: Extract<Order, { does: Does }>,
): Promise<Reports[Does]> {
  clients.send(given)
  const signal = AbortSignal.timeout(timeoutMs)
  const [report] = (await once(clients, "message", { signal })) as [Reports[Does]]
  return report
}

export async function run(answers = 2_000, sockets = 5_000, tokenSeconds = 1): Promise<BenchResult[]> {
  await using stack = new AsyncDisposableStack()
  const team = stack.use(await startTeamBoxes())
  const forked = (...args: string[]) => {
    const child = fork(fileURLToPath(import.meta.url), args, { execArgv: [], serialization: "advanced" })
    stack.defer(() => endChild(child))
    return child
  }
  const model = forked("model", String(tokenSeconds * 1000))
  const [{ url: modelUrl }] = (await once(model, "message")) as [{ url: string }]
  const clients = forked("clients")
  const ports = await Promise.all(Array.from({ length: boxes }, freePort))
  const begin = (index: number): StartingBoxProcess =>
    team.begin(String(index), { CASELLA_MODEL: modelUrl }, ["--port", String(ports[index])])
  const running = begin(0)
  const first = await running.ready
  const waiting = Array.from({ length: boxes - 1 }, (_, index) => begin(index + 1))
  for (const box of waiting) await waitUntilStandby(box)
  const all = [running, ...waiting]
  const urls = ports.map((port) => `http://127.0.0.1:${port}`)
  const owner = createClient({ baseUrl: first.url, headers: { "x-api-key": first.firstRunKey ?? "" } })
  const keys: string[] = []
  for (let index = 0; index < people; index++) {
    const { links } = await owner.people.add({
      body: { name: `Person ${index}`, email: `${index}@example.com` },
    })
    keys.push(await getKey(first.url, await signIn(first.url, tokenIn(links.local))))
  }

  const pids = all.map(({ child }) => child.pid ?? 0)
  const results: BenchResult[] = []
  const record = (name: string, value: number, unit: string) => results.push({ name, value, unit })
  const measureBoxes = (when: string) => {
    for (const [index, pid] of pids.entries()) {
      const which = index === 0 ? "the running box" : `waiting box ${index}`
      record(`${when}: memory of ${which}`, residentMb(pid), "MB")
      record("… its descriptors", readdirSync(`/proc/${pid}/fd`).length, "")
    }
  }
  const latencies = async (when: string, durationMs: number) => {
    const took = urls.map((): number[] => [])
    const until = performance.now() + durationMs
    const ask = async (index: number) => {
      for (let round = 0; performance.now() < until; round++) {
        const headers = { "x-api-key": keys[round % keys.length] ?? "" }
        const get = async () => (await fetch(`${urls[index]}/api/public/vectors`, { headers })).text()
        took[index]?.push(await elapsed(get))
        await wait(betweenGetsMs)
      }
    }
    await Promise.all(urls.map((_, index) => ask(index)))
    for (const [which, all] of [
      ["the running box", took.slice(0, 1).flat()],
      ["a waiting box", took.slice(1).flat()],
    ] as const) {
      record(`${when}: a list, asked of ${which}, median`, percentile(all, 0.5), "ms")
      record("… p95", percentile(all, 0.95), "ms")
    }
  }
  let isLocalOnly = false
  /** Switching this setting notifies everyone's apps. It has no other effect here, because everything is on this computer. */
  const broadcast = async (when: string) => {
    const took: number[] = []
    for (let index = 0; index < broadcasts; index++) {
      const heard = new Promise<Reports["hear"]>((resolve) => {
        const hear = (message: Reports["hear"] | "listening") => {
          if (message === "listening")
            return void owner.settings.update({ body: { localOnly: (isLocalOnly = !isLocalOnly) } })
          clients.off("message", hear)
          resolve(message)
        }
        clients.on("message", hear)
      })
      clients.send({ does: "hear", count: sockets } satisfies Order)
      took.push((await heard).ms)
      await wait(500)
    }
    record(
      `${when}: a message to all, until the last one has it, median of ${broadcasts}`,
      percentile(took, 0.5),
      "ms",
    )
    record("… longest", Math.max(...took), "ms")
  }

  measureBoxes("at rest")
  await latencies("at rest", steadyMs / 3)
  const openingSockets = await elapsed(() => order(clients, { does: "sockets", urls, keys, count: sockets }))
  record(`${sockets} WebSockets, until all are open`, openingSockets, "ms")
  await broadcast("with the WebSockets")
  measureBoxes("with the WebSockets")

  const startedAt = performance.now()
  const { open, refused } = await order(clients, { does: "streams", urls, keys, count: answers })
  record(`${answers} answers, until all have begun`, performance.now() - startedAt, "ms")
  results.push({ name: "… begun", value: open, unit: "", target: String(answers), ok: open === answers })
  for (const [status, count] of Object.entries(refused)) record(`… refused with ${status}`, count, "")

  model.send("go on")
  await wait(settlingMs)
  await order(clients, { does: "read" })
  const database = getPostgres(team.server.directory)
  const spent = () => [...pids.map((pid) => spentMs([pid])), spentMs([database, ...getChildren(database)])]
  const [before, since] = [spent(), performance.now()]
  const [, { lags }] = await Promise.all([
    latencies("with all", steadyMs),
    wait(steadyMs).then(() => order(clients, { does: "read" })),
  ])
  const passed = performance.now() - since
  for (const [index, ms] of spent().entries()) {
    const processName = ["the running box", "waiting box 1", "waiting box 2", "PostgreSQL"][index] ?? ""
    record(
      `with all: processor time of ${processName}`,
      (100 * (ms - (before[index] ?? 0))) / passed,
      "% of a core",
    )
  }
  record(
    "tokens that arrived, of those that were due",
    (100 * lags.length * tokenSeconds * 1000) / (open * steadyMs),
    "%",
  )
  record("a token, from the model server to the client, median", percentile(lags, 0.5), "ms")
  record("… p95", percentile(lags, 0.95), "ms")
  await broadcast("with all")
  measureBoxes("with all")

  model.send("end")
  const ending = performance.now()
  const { answers: ended } = await order(clients, { does: "end", count: open })
  record("until all answers have ended", performance.now() - ending, "ms")
  for (const [reason, { length }] of Map.groupBy(ended, (answer) => answer.reason))
    record(`… with ${reason}`, length, "")
  await wait(5_000)
  const stored = await storedAnswers(team)
  const sum = (all: Iterable<{ tokens: number }>) =>
    Array.from(all).reduce((so, { tokens }) => so + tokens, 0)
  results.push({
    name: "tokens stored",
    value: sum(stored.values()),
    unit: "",
    target: String(sum(ended)),
    ok: sum(stored.values()) === sum(ended),
  })
  explain(ended, stored, all)
  measureBoxes("afterwards, the WebSockets open")
  return results
}

type StoredAnswer = Pick<EndedAnswer, "reason" | "tokens">

/** Stored answers by chat. */
async function storedAnswers(team: TeamBoxes): Promise<Map<string, StoredAnswer>> {
  const rows = await team.asked(
    `SELECT "conversationId" AS chat, "finishReason" AS reason, content FROM messages WHERE role = 'assistant'`,
  )
  return new Map(
    rows.map(({ chat, reason, content }) => [
      String(chat),
      { reason: String(reason), tokens: (String(content).match(/\d+/g) ?? []).length },
    ]),
  )
}

/** Logs each answer that didn't end normally or differs from its stored copy, and the boxes' warnings. */
function explain(
  ended: readonly EndedAnswer[],
  stored: ReadonlyMap<string, StoredAnswer>,
  boxes: readonly StartingBoxProcess[],
): void {
  for (const answer of ended) {
    const kept = stored.get(answer.chatId)
    if (answer.reason === "stop" && kept?.reason === "stop" && kept.tokens === answer.tokens) continue
    console.error("An answer and what is stored of it:", answer, kept)
  }
  for (const [index, box] of boxes.entries())
    for (const line of box.stderr().split("\n"))
      if (/"level":"(warn|error)"/.test(line)) console.error(`Box ${index}: ${line}`)
}

async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, "exit")
  child.kill("SIGKILL")
  await exited
}

const [role, argument] = process.argv.slice(2)
if (process.send && role === "model") serveModel(Number(argument))
else if (process.send && role === "clients") runClients()
else if (import.meta.main)
  printResults(
    await run(
      Number(process.argv[2] ?? 2_000),
      Number(process.argv[3] ?? 5_000),
      Number(process.argv[4] ?? 1),
    ),
  )
if (process.send) process.once("disconnect", () => process.exit())
