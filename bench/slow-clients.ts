// 1,000 clients that send a byte now and then, or read nothing: how long everyone else waits.
import { fork, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { Agent, request } from "node:http"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { createClient } from "../src/shared/client/http-client.ts"
import { elapsed, percentile } from "./measure.ts"
import { printResults, type BenchResult } from "./result.ts"
import { atMost, startWatchedBox } from "./watched-box.ts"

const slow = 1_000
const dripMs = 1_000
const requests = 4_000
const connections = 8

interface Orders {
  url: string
  key: string
}

/** Sends heads, bodies and uploads a byte at a time, and requests pages without reading them. Reconnects when it is cut off. */
function drip({ url, key }: Orders): void {
  const { hostname, port, host } = new URL(url)
  const head = `host: ${host}\r\nx-api-key: ${key}\r\n`
  const json = `${head}content-type: application/json\r\ncontent-length: 1000000\r\n\r\n`
  const form = `${head}content-type: multipart/form-data; boundary=b\r\ncontent-length: 1000000\r\n\r\n`
  const kinds: { begin: string; drips: boolean }[] = [
    { begin: `GET /api/health HTTP/1.1\r\nhost: ${host}\r\nx-slow: `, drips: true },
    { begin: `POST /api/public/notifications HTTP/1.1\r\n${json}`, drips: true },
    { begin: `POST /api/ai/chat HTTP/1.1\r\n${json}`, drips: true },
    { begin: `POST /api/public/vectors/none/files HTTP/1.1\r\n${form}--b\r\n`, drips: true },
    { begin: `GET /api/openapi.json HTTP/1.1\r\n${head}\r\n`.repeat(10), drips: false },
  ]
  function open(index: number): void {
    const { begin, drips } = kinds[index % kinds.length] ?? { begin: "", drips: true }
    const socket = connect(Number(port), hostname, () => {
      if (begin !== "") socket.write(begin)
      if (!drips) socket.pause()
    })
    const timer = drips ? setInterval(() => socket.writable && socket.write("G"), dripMs) : undefined
    socket.on("error", () => undefined)
    socket.on("close", () => {
      clearInterval(timer)
      setTimeout(open, dripMs, index)
    })
    if (drips) socket.resume()
  }
  for (let index = 0; index < slow; index++) open(index)
  setTimeout(() => process.send?.("dripping"), 3_000)
}

/** Milliseconds that each of many requests takes. */
async function latencies(url: string, key: string): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const get = () =>
    new Promise<void>((resolve, reject) => {
      request(`${url}/api/public/vectors`, { agent, headers: { "x-api-key": key } }, (answer) => {
        answer.resume().on("end", () => resolve())
      })
        .on("error", reject)
        .end()
    })
  const all: number[] = []
  const worker = async () => {
    for (let index = 0; index < requests / connections; index++) all.push(await elapsed(get))
  }
  await Promise.all(Array.from({ length: connections }, worker))
  agent.destroy()
  return all
}

export async function run(): Promise<BenchResult[]> {
  const dataDir = await mkdtemp(join(tmpdir(), "casella-bench-"))
  const box = await startWatchedBox(dataDir)
  let child: ChildProcess | undefined
  try {
    const key = box.firstRunKey ?? ""
    const client = createClient({ baseUrl: box.url, headers: { "x-api-key": key } })
    for (let index = 0; index < 50; index++)
      await client.folders.create({ body: { name: `Folder ${index}` } })
    await latencies(box.url, key)
    const alone = await latencies(box.url, key)
    const before = box.residentMb()
    child = fork(fileURLToPath(import.meta.url), { execArgv: [] })
    child.send({ url: box.url, key } satisfies Orders)
    await once(child, "message")
    const beside = await latencies(box.url, key)
    return [
      {
        ...atMost("1,000 slow clients: p99 of everyone else", percentile(beside, 0.99), "ms", 200),
        floor: percentile(alone, 0.99),
      },
      { name: "1,000 slow clients: slowest request of 4,000", value: Math.max(...beside), unit: "ms" },
      { name: "1,000 slow clients: memory of the box", value: box.residentMb() - before, unit: "MB more" },
    ]
  } finally {
    child?.kill()
    await box.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

if (process.send) {
  process.once("message", (orders: Orders) => drip(orders))
  process.once("disconnect", () => process.exit())
} else if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) printResults(await run())
