// Four concurrent uploads of 1 GiB, uploads that are cut off, and one byte too many: memory and leftover files.
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import { createClient } from "../src/shared/client/http-client.ts"
import { elapsed } from "./measure.ts"
import { printResults, type BenchResult } from "./result.ts"
import { atMost, startWatchedBox } from "./watched-box.ts"

const gib = 2 ** 30
const block = Buffer.alloc(1 << 20, "All work and no play makes the box a dull one.\n")
const boundary = "casella-bench"
const opening = Buffer.from(
  `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="big.txt"\r\ncontent-type: text/plain\r\n\r\n`,
)
const closing = Buffer.from(`\r\n--${boundary}--\r\n`)

interface Target {
  url: string
  key: string
}

/** Sends a file of `size` bytes, or only the first `cutAt` of them. Returns the status, or 0 if it was cut. */
function upload({ url, key }: Target, size: number, cutAt = Number.POSITIVE_INFINITY): Promise<number> {
  return new Promise((resolve) => {
    const outgoing = request(url, {
      method: "POST",
      headers: {
        "x-api-key": key,
        "content-type": `multipart/form-data; boundary=${boundary}`,
        "content-length": opening.length + size + closing.length,
      },
    })
    outgoing.on("response", (answer) => answer.resume().on("close", () => resolve(answer.statusCode ?? 0)))
    outgoing.on("error", () => resolve(0))
    outgoing.write(opening)
    let left = size
    const send = () => {
      while (left > 0) {
        if (size - left >= cutAt) return void outgoing.destroy()
        const piece = left < block.length ? block.subarray(0, left) : block
        left -= piece.length
        if (!outgoing.write(piece)) return void outgoing.once("drain", send)
      }
      outgoing.end(closing)
    }
    send()
  })
}

export async function run(): Promise<BenchResult[]> {
  const dataDir = await mkdtemp(join(tmpdir(), "casella-bench-"))
  const box = await startWatchedBox(dataDir)
  try {
    const key = box.firstRunKey ?? ""
    const client = createClient({ baseUrl: box.url, headers: { "x-api-key": key } })
    const { vector } = await client.folders.create({ body: { name: "Big" } })
    const params = { id: vector.id }
    await client.folders.update({ params, body: { paused: true } }) // measures receiving only, not indexing
    const target = { url: `${box.url}/api/public/vectors/${vector.id}/files`, key }
    await upload(target, 1 << 20)
    const before = box.residentMb()
    let highest = before
    const watch = setInterval(() => (highest = Math.max(highest, box.residentMb())), 100)

    let statuses: number[] = []
    const ms = await elapsed(async () => {
      statuses = await Promise.all([1, 2, 3, 4].map(() => upload(target, gib)))
    })
    const tooLong = await upload(target, gib + 1)
    const cut = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((share) => upload(target, gib, share << 24)))
    clearInterval(watch)
    await pause(2_000) // time to notice the cut uploads
    const left = await readdir(join(dataDir, "uploads")).catch(() => [])
    const { files } = await client.files.list({ params })
    const met = (name: string, value: number, target: number): BenchResult => {
      return { name, value, unit: "", target: String(target), ok: value === target }
    }
    return [
      atMost("uploads: memory that 4 × 1 GiB at once take", highest - before, "MB", 150),
      { name: "uploads: rate of 4 × 1 GiB at once, flushed", value: (4 * 1024) / (ms / 1000), unit: "MiB/s" },
      met("uploads: of 4 × 1 GiB accepted", statuses.filter((status) => status === 202).length, 4),
      met("uploads: status of 1 GiB and one byte", tooLong, 422),
      met("uploads: of 8 that were cut off answered", cut.filter((status) => status !== 0).length, 0),
      met("uploads: temporary files left", left.length, 0),
      met("uploads: files in the folder", files.length, 5),
    ]
  } finally {
    await box.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) printResults(await run())
