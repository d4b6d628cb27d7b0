// 1,000 clients that request a lot and read nothing: the box's memory, how long everyone else waits, and which connections are dropped.
import { fork, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath, pathToFileURL } from "node:url"
import { createClient } from "../src/shared/client/http-client.ts"
import { socketPath } from "../src/shared/contract/socket.ts"
import { percentile } from "./measure.ts"
import { printResults, type BenchResult } from "./result.ts"
import { startStreamingModel } from "./streaming-model.ts"
import { atMost, startWatchedBox, type WatchedBox } from "./watched-box.ts"

const readers = 1_000
const fileMb = 16
const messages = 30
const messageBytes = 100_000
const tokens = 50_000
const broadcasts = 300
/**
 * A client that reads nothing is dropped after 30 s, or after twice that if the system accepted a part immediately. Downloads are dropped
 * after 180 s, or after ten minutes of pauses.
 */
const droppedWithinMs = 900_000

interface Orders {
  port: number
  key: string
  paths: string[]
}

/** Opens one connection for each path, the last one for the WebSocket, and reads nothing. */
function stall({ port, key, paths }: Orders): void {
  const upgrade = `connection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${btoa("0123456789abcdef")}\r\n`
  for (let index = 0; index < readers; index++) {
    const path = paths[index % paths.length] ?? ""
    const socket = connect({ host: "127.0.0.1", port, localAddress: `127.0.0.${2 + (index % 50)}` })
    socket.pause()
    socket.on("error", () => undefined)
    socket.write(
      `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nx-api-key: ${key}\r\n${path === socketPath ? upgrade : ""}\r\n`,
    )
  }
  setTimeout(() => process.send?.("asked"), 2_000)
}

/** Kernel memory for TCP of the whole computer, in MB. */
const kernelMb = () =>
  Number(/^TCP:.* mem (\d+)/m.exec(readFileSync("/proc/net/sockstat", "utf8"))?.[1]) / 256

async function prepare(box: WatchedBox, key: string): Promise<string[]> {
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": key } })
  const { vector } = await client.folders.create({ body: { name: "Large" } })
  const file = new Blob([Buffer.alloc(fileMb * 2 ** 20, "a line of text\n")])
  const params = { id: vector.id }
  const receipt = await client.files.upload({ params, file, fileName: "large.txt" })
  while ((await client.files.list({ params })).files[0]?.status !== "completed") await pause(200)
  const ask = async (id: string, contents: string[]) => {
    const history = contents.map((content, index) => ({
      role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
      content,
    }))
    const body = { id, messages: history, boxAddress: box.url }
    for await (const _ of client.chat.send({ body }));
  }
  await ask("listed", [...Array.from({ length: messages }, () => "x".repeat(messageBytes)), "?"])
  await ask("streamed", ["?"])
  return [
    `/api/public/vectors/${vector.id}/files/${receipt.files[0]?.id ?? ""}/content`,
    "/api/public/chats/listed",
    "/api/ai/chat/streamed/stream",
    socketPath,
  ]
}

export async function run(): Promise<BenchResult[]> {
  const dataDir = await mkdtemp(join(tmpdir(), "casella-bench-"))
  let child: ChildProcess | undefined
  let watching: NodeJS.Timeout | undefined
  await using model = await startStreamingModel("word ".repeat(tokens), 20_000)
  const box = await startWatchedBox(dataDir, "--model", model.url)
  try {
    const key = box.firstRunKey ?? ""
    const paths = await prepare(box, key)
    const client = createClient({ baseUrl: box.url, headers: { "x-api-key": key } })
    const [before, kernelBefore, opened] = [box.residentMb(), kernelMb(), box.descriptors()]
    let [peak, kernelPeak] = [0, 0]
    watching = setInterval(() => {
      peak = Math.max(peak, box.residentMb())
      kernelPeak = Math.max(kernelPeak, kernelMb())
    }, 100)

    child = fork(fileURLToPath(import.meta.url), { execArgv: [] })
    child.send({ port: Number(new URL(box.url).port), key, paths } satisfies Orders)
    await once(child, "message")
    const waits: number[] = []
    const timed = async (work: () => Promise<unknown>) => {
      const startedAt = performance.now()
      await work()
      waits.push(performance.now() - startedAt)
    }
    const long = "漢".repeat(2_000)
    for (let index = 0; index < broadcasts; index++)
      await timed(() =>
        client.notifications.send({
          body: { title: `${index}`, body: long, description: long, preview: long },
        }),
      )
    const asked = box.descriptors() - opened
    const deadline = performance.now() + droppedWithinMs
    while (box.descriptors() > opened + 5 && performance.now() < deadline)
      await timed(() => pause(100).then(() => client.folders.list()))
    const left = box.descriptors() - opened
    await pause(5_000)
    return [
      atMost("1,000 stalled readers: memory of the box at most", peak - before, "MB more", 100),
      { name: "… afterwards", value: box.residentMb() - before, unit: "MB more" },
      { name: "… the system's for connections, at most", value: kernelPeak - kernelBefore, unit: "MB more" },
      { name: "… connected after the broadcasts", value: asked, unit: "" },
      { ...atMost("… connected after 900 s at most", left, "", 5) },
      { ...atMost("… p99 of everyone else", percentile(waits, 0.99), "ms", 200) },
      { name: "… slowest", value: Math.max(...waits), unit: "ms" },
    ]
  } finally {
    clearInterval(watching)
    child?.kill()
    await box.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

if (process.send) {
  process.once("message", (orders: Orders) => stall(orders))
  process.once("disconnect", () => process.exit())
} else if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) printResults(await run())
