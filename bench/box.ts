// Start to ready, idle memory and the rate of a list endpoint, each against its floor in the same run.
import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { Agent, createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { elapsed, median } from "./measure.ts"
import { printResults, type BenchResult } from "./result.ts"

const cli = fileURLToPath(new URL("../out/main/cli.js", import.meta.url))
const starts = 9
const idleMs = 3_000
const requests = 6_000
const connections = 16

async function startBuilt(
  dataDir: string,
): Promise<{ child: ChildProcess; ready: Record<string, string>; ms: number }> {
  const begun = performance.now()
  const child = spawn(process.execPath, [cli, "--port", "0", "--data", dataDir], {
    stdio: ["ignore", "pipe", "ignore"],
  })
  const [line] = (await once(child.stdout ?? child, "data")) as [Buffer]
  return {
    child,
    ready: JSON.parse(line.toString()) as Record<string, string>,
    ms: performance.now() - begun,
  }
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit")
  child.kill()
  await exited
}

/** Resident memory of a process in MB (Linux). */
function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${String(pid)}/status`, "utf8"))?.[1]) / 1024
}

/** GETs one address many times over kept-alive connections; answers requests per second. */
async function rate(url: string, headers: Record<string, string>): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const get = () =>
    new Promise<void>((resolve, reject) => {
      request(url, { agent, headers }, (answer) => {
        if (answer.statusCode !== 200) reject(new Error(`${url} answered ${String(answer.statusCode)}`))
        answer.resume().on("end", () => resolve())
      })
        .on("error", reject)
        .end()
    })
  const worker = async (count: number) => {
    for (let index = 0; index < count; index++) await get()
  }
  const share = requests / connections
  await Promise.all(Array.from({ length: connections }, () => worker(share / 10))) // warm-up
  const ms = await elapsed(() => Promise.all(Array.from({ length: connections }, () => worker(share))))
  agent.destroy()
  return (requests / ms) * 1000
}

/** A bare server that answers the same bytes. */
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
    const first = await startBuilt(dataDir)
    await stop(first.child)
    const key = { "x-api-key": first.ready["firstRunKey"] ?? "" }
    for (let index = 0; index < starts; index++) {
      const box = await startBuilt(dataDir)
      times.push(box.ms)
      const asked = async () =>
        (await fetch(`${box.ready["url"]}/api/public/vectors`, { headers: key })).text()
      answered.push(box.ms + (await elapsed(asked)))
      await stop(box.child)
    }
    const bareNode = async () => {
      const child = spawn(process.execPath, ["-e", "process.stdout.write('x')"], {
        stdio: ["ignore", "pipe", "ignore"],
      })
      await once(child, "exit")
    }
    const bare: number[] = []
    for (let index = 0; index < starts; index++) bare.push(await elapsed(bareNode))

    const box = await startBuilt(dataDir)
    await new Promise((resolve) => setTimeout(resolve, idleMs))
    const idle = residentMb(box.child.pid ?? 0)
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
    await stop(box.child)

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
      // What isn't loaded before the ready line must not merely come after it.
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
