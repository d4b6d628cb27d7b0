// Notifications: time from a POST to the app's WebSocket, stored posts per second, a feed of 100,000, and 1,000 apps.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { Agent, request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { WebSocket } from "ws"
import { socketPath } from "../src/shared/contract/socket.ts"
import { openSqlite } from "../src/box/core/database/sqlite/open-sqlite.ts"
import { newId, timestamp } from "../src/box/core/ids.ts"
import { databasePath } from "../src/box/start/open-data.ts"
import { startBoxProcess, type BoxProcess } from "../src/box/testing/box-process.ts"
import { elapsed, median, percentile } from "./measure.ts"
import { residentMb } from "./processes.ts"
import { printResults, type BenchResult } from "./result.ts"

const feedSize = 100_000
const posts = 4_000
const connections = 16
const apps = 1_000
const path = "/api/public/notifications"
const draft = (title: string) => JSON.stringify({ title, description: "d".repeat(200), type: "success" })

interface Target {
  url: string
  key: string
  agent: Agent
}

/** Sends one request over kept-alive connections; returns the body. */
function call({ url, key, agent }: Target, method: string, route: string, body?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = {
      "x-api-key": key,
      ...(body === undefined
        ? {}
        : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
    }
    request(url + route, { method, agent, headers }, (answer) => {
      let text = ""
      answer.setEncoding("utf8")
      answer.on("data", (chunk: string) => (text += chunk))
      answer.on("end", () =>
        (answer.statusCode ?? 0) < 300 ? resolve(text) : reject(new Error(`${route}: ${text}`)),
      )
    })
      .on("error", reject)
      .end(body)
  })
}

async function connect({ url, key }: Target): Promise<WebSocket> {
  const socket = new WebSocket(url.replace("http", "ws") + socketPath, { headers: { "x-api-key": key } })
  await once(socket, "message")
  return socket
}

/** The moment at which a notification with the title arrives. */
function arrival(socket: WebSocket, title: string): Promise<number> {
  return new Promise((resolve) => {
    const listen = (data: Buffer) => {
      if (!data.includes(`"${title}"`)) return
      socket.off("message", listen)
      resolve(performance.now())
    }
    socket.on("message", listen)
  })
}

async function postToSocket(target: Target): Promise<number[]> {
  const socket = await connect(target)
  const times: number[] = []
  for (let index = 0; index < 400; index++) {
    const title = `latency ${String(index)}`
    const arrived = arrival(socket, title)
    const sent = performance.now()
    await call(target, "POST", path, draft(title))
    times.push((await arrived) - sent)
  }
  socket.close()
  return times.slice(100) // the first ones warm up
}

async function postsPerSecond(target: Target): Promise<number> {
  const worker = async (count: number) => {
    for (let index = 0; index < count; index++) await call(target, "POST", path, draft("rate"))
  }
  const all = (total: number) =>
    Promise.all(Array.from({ length: connections }, () => worker(total / connections)))
  await all(800)
  return (posts / (await elapsed(() => all(posts)))) * 1000
}

/** Rate of the same posts to a bare server that stores them as durably. */
async function barePostsPerSecond(dataDir: string): Promise<number> {
  const script = fileURLToPath(new URL("floors/bare-posts.ts", import.meta.url))
  const child = spawn(process.execPath, [script, join(dataDir, "floor.sqlite")], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  const [line] = (await once(child.stdout, "data")) as [Buffer]
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const rate = await postsPerSecond({ url: line.toString().trim(), key: "", agent })
  agent.destroy()
  const exited = once(child, "exit")
  child.kill()
  await exited
  return rate
}

async function times(count: number, work: () => Promise<unknown>): Promise<number[]> {
  const all: number[] = []
  for (let index = 0; index < count; index++) all.push(await elapsed(work))
  return all.slice(count / 5)
}

/** Fills the owner's feed, with every third notification read, while no box runs. */
async function fillFeed(dataDir: string): Promise<void> {
  await using database = openSqlite(databasePath(dataDir))
  const { db } = database
  const { id: userId } = await db.selectFrom("users").select("id").executeTakeFirstOrThrow()
  const categories = ["system", "chat", "email", "backgroundTasks"] as const
  const begin = Date.now() - feedSize * 1000
  await db.transaction().execute(async (trx) => {
    for (let from = 0; from < feedSize; from += 1_000) {
      const rows = Array.from({ length: 1_000 }, (_, offset) => {
        const index = from + offset
        const at = timestamp(begin + index * 1000)
        const read = Number(index % 3 === 0)
        return {
          id: newId(),
          userId,
          title: `Notification ${String(index)}`,
          description: "d".repeat(200),
          preview: null,
          type: "info" as const,
          category: categories[index % 4] ?? "system",
          deepLink: "/work",
          chatId: null,
          sender: '{"kind":"system"}',
          read,
          seen: read,
          muted: 0,
          silent: 0,
          silentToast: 0,
          dedupeKey: null,
          metadata: null,
          createdAt: at,
          notifiedAt: at,
        }
      })
      await trx.insertInto("notifications").values(rows).execute()
    }
  })
}

async function broadcast(target: Target, box: BoxProcess): Promise<{ ms: number; mb: number }> {
  const pid = box.child.pid ?? 0
  const before = residentMb(pid)
  const sockets: WebSocket[] = []
  while (sockets.length < apps) {
    sockets.push(...(await Promise.all(Array.from({ length: 50 }, () => connect(target)))))
  }
  const all: number[] = []
  for (let round = 0; round < 7; round++) {
    const title = `broadcast ${String(round)}`
    const arrivals = sockets.map((socket) => arrival(socket, title))
    const sent = performance.now()
    await call(target, "POST", path, draft(title))
    all.push(Math.max(...(await Promise.all(arrivals))) - sent)
  }
  const mb = residentMb(pid) - before
  for (const socket of sockets) socket.terminate()
  return { ms: median(all), mb }
}

export async function run(): Promise<BenchResult[]> {
  const dataDir = await mkdtemp(join(tmpdir(), "casella-bench-"))
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  try {
    let box = await startBoxProcess(dataDir)
    const key = box.firstRunKey ?? ""
    const latency = await postToSocket({ url: box.url, key, agent })
    const rate = await postsPerSecond({ url: box.url, key, agent })
    const floor = await barePostsPerSecond(dataDir)
    await box.stop()

    await fillFeed(dataDir)
    box = await startBoxProcess(dataDir)
    const target = { url: box.url, key, agent }
    const list = await times(250, () => call(target, "GET", path))
    const unread = await times(250, () => call(target, "GET", `${path}?unreadOnly=true&category=email`))
    const count = await times(250, () => call(target, "GET", `${path}/unread-count`))
    await box.stop()

    const emptyDir = await mkdtemp(join(dataDir, "empty-"))
    box = await startBoxProcess(emptyDir)
    const crowd = { url: box.url, key: box.firstRunKey ?? "", agent }
    const { ms, mb } = await broadcast(crowd, box)
    await box.stop()

    const latencyMs = median(latency)
    const atMost = (name: string, value: number, unit: string, target: number): BenchResult => ({
      name,
      value,
      unit,
      target: `≤${String(target)}`,
      ok: value <= target,
    })
    return [
      atMost("notification: POST to WebSocket, p50", latencyMs, "ms", 3),
      { name: "notification: POST to WebSocket, p95", value: percentile(latency, 0.95), unit: "ms" },
      {
        name: `stored posts from ${String(connections)} connections`,
        value: rate,
        unit: "posts/s",
        floor,
        target: "≥800",
        ok: rate >= 800,
      },
      atMost("feed of 100,000: list, p50", median(list), "ms", 5),
      atMost("feed of 100,000: unread of one category, p50", median(unread), "ms", 5),
      atMost("feed of 100,000: unread-count, p50", median(count), "ms", 5),
      atMost("1,000 apps: broadcast to the last one", ms, "ms", 100),
      atMost("1,000 apps: memory of the box", mb, "MB", 60),
    ]
  } finally {
    agent.destroy()
    await rm(dataDir, { recursive: true, force: true })
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) printResults(await run())
