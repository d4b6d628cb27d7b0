// Disk writes caused by a long answer while it is generated, because its partial text is stored repeatedly.
import { existsSync, readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import { reservePath } from "../src/box/core/data-layout.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { printResults, type BenchResult } from "./result.ts"
import { startStreamingModel } from "./streaming-model.ts"
import { atMost, startWatchedBox } from "./watched-box.ts"

const tokensPerSecond = 1_000
const lengths = { short: 10_000, long: 40_000 }

/** MB that a process has written to the disk (Linux). SQLite writes each page when it commits. */
function writtenMb(pid: number): number {
  return Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1]) / 2 ** 20
}

const lastOfReserve = (dataDir: string) => join(reservePath(dataDir), "15")

/** MB written by one answer of `tokens` tokens until it is complete. */
async function written(tokens: number): Promise<number> {
  const dataDir = await mkdtemp(join(tmpdir(), "casella-bench-"))
  await using model = await startStreamingModel("word ".repeat(tokens), tokensPerSecond)
  const box = await startWatchedBox(dataDir, "--model", model.url)
  try {
    const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.firstRunKey ?? "" } })
    const messages = [{ role: "user" as const, content: "Go on." }]
    const body = { id: "long", messages, boxAddress: box.url }
    while (!existsSync(lastOfReserve(dataDir))) await pause(100) // the box writes it at its first start
    const before = writtenMb(box.child.pid ?? 0)
    for await (const _ of client.chat.send({ body }));
    const mb = writtenMb(box.child.pid ?? 0) - before
    const { chat } = await client.conversations.read({ params: { id: "long" } })
    if (chat.messages[1]?.content.length !== tokens * "word ".length)
      throw new Error("The answer isn't complete.")
    return mb
  } finally {
    await box.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

export async function run(): Promise<BenchResult[]> {
  const short = await written(lengths.short)
  const long = await written(lengths.long)
  const text = (lengths.long * "word ".length) / 2 ** 20
  return [
    { ...atMost("answer of 40,000 tokens: written to the disk", long, "MB", 4), floor: text },
    atMost("… of what 10,000 tokens have written", long / short, "×", 4.4),
  ]
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) printResults(await run())
