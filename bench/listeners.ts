// 10,000 listening apps and streams, 1 % of which have stalled: memory, event-loop pauses and dropped connections.
import { fork, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath, pathToFileURL } from "node:url"
import { WebSocket } from "ws"
import { createClient } from "../src/shared/client/http-client.ts"
import { socketPath } from "../src/shared/contract/socket.ts"
import { median } from "./measure.ts"
import { printResults, type BenchResult } from "./result.ts"
import { startStreamingModel } from "./streaming-model.ts"
import { atMost, startWatchedBox } from "./watched-box.ts"

const counts = { sockets: 9_000, streams: 1_000 }
const stalledShare = 0.01
const processes = 2
const broadcasts = 9
const chatId = "listened-to"
/** A client that doesn't answer a ping is dropped at the next one, 30 s later. */
const droppedWithinMs = 75_000

interface Orders {
  url: string
  key: string
  sockets: number
  streams: number
}
type Report = { type: "listening" } | { type: "heard"; title: string }

/** Runs in one of the listening processes. A message starts it, and it reports to the bench. */
function listen({ url, key, sockets, streams }: Orders): void {
  const report = (message: Report) => process.send?.(message)
  const heard = new Map<string, number>()
  const isStalled = (index: number) => index % Math.round(1 / stalledShare) === 0
  const listening = sockets - Math.ceil(sockets * stalledShare)
  const hears = (title: string) => {
    const count = (heard.get(title) ?? 0) + 1
    heard.set(title, count)
    if (count === listening) report({ type: "heard", title })
  }
  const openSocket = async (index: number) => {
    const socket = new WebSocket(url.replace("http", "ws") + socketPath, {
      headers: { "x-api-key": key },
      localAddress: `127.0.0.${2 + (index % 50)}`,
    })
    socket.on("error", () => undefined)
    socket.on("message", (data: Buffer) => {
      const title = /"title":"(broadcast \d+)"/.exec(data.toString("latin1"))?.[1]
      if (title !== undefined) hears(title)
    })
    await once(socket, "message")
    if (isStalled(index)) socket.pause()
  }
  const openStream = (index: number) =>
    new Promise<void>((resolve, reject) => {
      const path = `${url}/api/ai/chat/${chatId}/stream`
      const options = { headers: { "x-api-key": key }, localAddress: `127.0.0.${2 + (index % 50)}` }
      request(path, options, (answer) => {
        if (!isStalled(index)) answer.resume()
        answer.on("error", () => undefined)
        resolve()
      })
        .on("error", reject)
        .end()
    })
  const openInBatches = async (count: number, open: (index: number) => Promise<void>) => {
    for (let from = 0; from < count; from += 50)
      await Promise.all(
        Array.from({ length: Math.min(50, count - from) }, (_, offset) => open(from + offset)),
      )
  }
  void openInBatches(sockets, openSocket)
    .then(() => openInBatches(streams, openStream))
    .then(() => report({ type: "listening" }))
}

async function reported(children: ChildProcess[], isIt: (report: Report) => boolean): Promise<void> {
  await Promise.all(
    children.map(
      (child) =>
        new Promise<void>((resolve) => {
          const onMessage = (report: Report) => {
            if (!isIt(report)) return
            child.off("message", onMessage)
            resolve()
          }
          child.on("message", onMessage)
        }),
    ),
  )
}

export async function run(): Promise<BenchResult[]> {
  const dataDir = await mkdtemp(join(tmpdir(), "casella-bench-"))
  const children: ChildProcess[] = []
  await using model = await startStreamingModel("word ".repeat(100_000), 5)
  const box = await startWatchedBox(dataDir, "--model", model.url)
  try {
    const key = box.firstRunKey ?? ""
    const client = createClient({ baseUrl: box.url, headers: { "x-api-key": key } })
    const messages = [{ role: "user" as const, content: "Go on." }]
    const body = { id: chatId, messages, boxAddress: box.url }
    const answer = client.chat.send({ body })[Symbol.asyncIterator]()
    await answer.next()
    await pause(2_000)
    await box.pauses()
    await pause(5_000)
    const idle = await box.pauses()
    const idleMb = box.residentMb()
    const before = box.descriptors()

    for (let index = 0; index < processes; index++)
      children.push(fork(fileURLToPath(import.meta.url), { execArgv: [] }))
    const listening = reported(children, ({ type }) => type === "listening")
    for (const child of children)
      child.send({
        url: box.url,
        key,
        sockets: counts.sockets / processes,
        streams: counts.streams / processes,
      })
    await listening
    await pause(3_000)
    await box.pauses()

    const longest: number[] = []
    const reached: number[] = []
    for (let round = 0; round < broadcasts; round++) {
      const title = `broadcast ${round}`
      const all = reported(children, (report) => report.type === "heard" && report.title === title)
      const sent = performance.now()
      await client.notifications.send({ body: { title } })
      await all
      reached.push(performance.now() - sent)
      await pause(500)
      longest.push((await box.pauses()).max)
    }
    const mb = box.residentMb()
    const opened = box.descriptors()
    const stalled = Math.ceil((counts.sockets / processes) * stalledShare) * processes
    const deadline = performance.now() + droppedWithinMs
    while (opened - box.descriptors() < stalled && performance.now() < deadline) await pause(1_000)
    return [
      { name: "listeners: descriptors that the box has more", value: opened - before, unit: "" },
      { name: "listeners: memory without them", value: idleMb, unit: "MB" },
      atMost("10,000 listeners: memory of the box", mb, "MB", 400),
      {
        ...atMost("10,000 listeners: longest pause at a broadcast, median of 9", median(longest), "ms", 50),
        floor: idle.max,
      },
      { name: "10,000 listeners: longest pause of all", value: Math.max(...longest), unit: "ms" },
      { name: "10,000 listeners: broadcast to the last one", value: median(reached), unit: "ms" },
      {
        name: "10,000 listeners: stalled apps dropped within 75 s",
        value: opened - box.descriptors(),
        unit: `of ${stalled}`,
        target: `${stalled}`,
        ok: opened - box.descriptors() >= stalled,
      },
    ]
  } finally {
    for (const child of children) child.kill()
    await box.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

if (process.send) {
  process.once("message", (orders: Orders) => listen(orders))
  process.once("disconnect", () => process.exit())
} else if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) printResults(await run())
