// Startup time, idle memory and the request rate of a list endpoint, each against its floor in the same run.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { getMany } from "./get-many.ts"
import { elapsed, median } from "./measure.ts"
import { endProcess, residentMb, startBuiltBox } from "./processes.ts"
import { printResults, type BenchResult } from "./result.ts"

const starts = 9
const idleMs = 3_000
const requests = 6_000

/** Requests per second after warm-up. */
async function rate(url: string, headers: Record<string, string>): Promise<number> {
  await getMany(url, headers, requests / 10)
  return (requests / (await elapsed(() => getMany(url, headers, requests)))) * 1000
}

/** Rate of a bare server that returns the same bytes. */
async function bareRate(body: string): Promise<number> {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "application/json")
    response.end(body)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const result = await rate(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`, {})
  server.close()
  return result
}

export async function run(): Promise<BenchResult[]> {
  const dataDir = await mkdtemp(join(tmpdir(), "casella-bench-"))
  try {
    const times: number[] = []
    const answered: number[] = []
    const first = await startBuiltBox(dataDir)
    await endProcess(first)
    const key = { "x-api-key": first.ready["firstRunKey"] ?? "" }
    for (let index = 0; index < starts; index++) {
      const box = await startBuiltBox(dataDir)
      times.push(box.startMs)
      const asked = async () =>
        (await fetch(`${box.ready["url"]}/api/public/vectors`, { headers: key })).text()
      answered.push(box.startMs + (await elapsed(asked)))
      await endProcess(box)
    }
    const bareNode = async () => {
      const child = spawn(process.execPath, ["-e", "process.stdout.write('x')"], {
        stdio: ["ignore", "pipe", "ignore"],
      })
      await once(child, "exit")
    }
    const bare: number[] = []
    for (let index = 0; index < starts; index++) bare.push(await elapsed(bareNode))

    const box = await startBuiltBox(dataDir)
    await new Promise((resolve) => setTimeout(resolve, idleMs))
    const idle = residentMb(box.pid)
    const base = box.ready["url"] ?? ""
    const post = (path: string, body: unknown) =>
      fetch(base + path, {
        method: "POST",
        headers: { ...key, "content-type": "application/json" },
        body: JSON.stringify(body),
      })
    for (let index = 0; index < 50; index++)
      await post("/api/public/vectors", { name: `Folder ${String(index)}` })
    const list = await (await fetch(`${base}/api/public/vectors`, { headers: key })).text()
    const listRate = await rate(`${base}/api/public/vectors`, key)
    const healthRate = await rate(`${base}/api/health`, {})
    const floor = await bareRate(list)
    await endProcess(box)

    const ready = median(times)
    return [
      {
        name: "start to ready",
        value: ready,
        unit: "ms",
        floor: median(bare),
        target: "≤7 × the floor",
        ok: ready <= 7 * median(bare),
      },
      // Work that is kept out of the startup must not merely move to just after the ready line.
      {
        name: "start to the first list of folders",
        value: median(answered),
        unit: "ms",
        floor: median(bare),
      },
      { name: "idle memory without a model", value: idle, unit: "MB", target: "≤150", ok: idle <= 150 },
      { name: "list of 50 folders", value: listRate, unit: "requests/s", floor },
      { name: "health", value: healthRate, unit: "requests/s" },
    ]
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) printResults(await run())
