// Resources that an idle box uses: processor time, wake-ups and memory. `node bench/idle.ts 10` measures after ten minutes instead of four.
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import { WebSocket } from "ws"
import { socketPath } from "../src/shared/contract/socket.ts"
import {
  endProcess,
  processorMs,
  residentMb,
  startBuiltBox,
  startProcess,
  type Started,
} from "./processes.ts"
import { printResults, type BenchResult } from "./result.ts"

const minuteMs = 60_000
/** Time until a box is idle and has released the resources of its start. */
const usualMinutes = 4
const bareNode = "setInterval(() => undefined, 3_600_000); console.log('{}')"

type Kind = "a box" | "with a page connected" | "with a followed directory" | "bare Node"

interface Idle extends Started {
  kind: Kind
}

interface Counts {
  processorMs: number
  wakeUps: number
}

/** Starts one process with its own directory. */
async function start(kind: Kind, directory: string): Promise<Idle> {
  const started =
    kind === "bare Node" ? await startProcess("-e", bareNode) : await startBuiltBox(join(directory, kind))
  const { url = "", firstRunKey = "" } = started.ready
  const headers = { "x-api-key": firstRunKey }
  if (kind === "with a page connected")
    await once(new WebSocket(url.replace("http", "ws") + socketPath, { headers }), "message")
  if (kind === "with a followed directory") await follow(url, headers, join(directory, "followed"))
  return { kind, ...started }
}

async function follow(url: string, headers: Record<string, string>, path: string): Promise<void> {
  await mkdir(path)
  await writeFile(join(path, "note.md"), "# A note\n")
  const answer = await fetch(`${url}/api/public/vectors`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ name: "Followed", folder: path }),
  })
  if (!answer.ok) throw new Error(await answer.text())
}

/** Counts since the start of the process, over all its threads (Linux). Each voluntary wait ends with a wake-up. */
function readCounts(pid: number): Counts {
  const threads = readdirSync(`/proc/${pid}/task`).map((id) =>
    Number(
      /^voluntary_ctxt_switches:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/task/${id}/status`, "utf8"))?.[1],
    ),
  )
  return {
    processorMs: processorMs(pid),
    wakeUps: threads.reduce((sum, some) => sum + some, 0),
  }
}

/** All processes idle at the same time; only the last minute is measured. */
async function measure(all: readonly Idle[], minutes: number): Promise<Map<Kind, Counts & { mb: number }>> {
  await wait((minutes - 1) * minuteMs)
  const before = new Map(all.map(({ kind, pid }) => [kind, readCounts(pid)]))
  await wait(minuteMs)
  return new Map(
    all.map(({ kind, pid }) => {
      const [now, then] = [readCounts(pid), before.get(kind)]
      return [
        kind,
        {
          processorMs: now.processorMs - (then?.processorMs ?? 0),
          wakeUps: now.wakeUps - (then?.wakeUps ?? 0),
          mb: residentMb(pid),
        },
      ]
    }),
  )
}

/** Following a directory loads the search index, whose memory is measured elsewhere. */
const bounds: Record<Exclude<Kind, "bare Node">, { share: number; mb?: number }> = {
  "a box": { share: 0.1, mb: 80 },
  "with a page connected": { share: 0.1, mb: 90 },
  "with a followed directory": { share: 0.1 },
}

export async function run(minutes = usualMinutes): Promise<BenchResult[]> {
  const directory = await mkdtemp(join(tmpdir(), "casella-idle-"))
  const all: Idle[] = []
  try {
    const kinds = Object.keys(bounds) as (keyof typeof bounds)[]
    for (const kind of [...kinds, "bare Node"] as const) all.push(await start(kind, directory))
    const found = await measure(all, minutes)
    const floor = found.get("bare Node")
    return kinds.flatMap((kind) => {
      const { processorMs, wakeUps, mb } = found.get(kind) ?? { processorMs: NaN, wakeUps: NaN, mb: NaN }
      const share = (processorMs / minuteMs) * 100
      const most = bounds[kind]
      return [
        {
          name: `idle, ${kind}: processor time`,
          value: share,
          unit: "% of a core",
          target: `≤${most.share}`,
          ok: share <= most.share,
        },
        {
          name: `idle, ${kind}: wake-ups in a minute`,
          value: wakeUps,
          unit: "",
          floor: floor?.wakeUps ?? NaN,
        },
        {
          name: `idle, ${kind}: memory after ${minutes} minutes`,
          value: mb,
          unit: "MB",
          floor: floor?.mb ?? NaN,
          ...(most.mb !== undefined && { target: `≤${most.mb}`, ok: mb <= most.mb }),
        },
      ]
    })
  } finally {
    for (const each of all) await endProcess(each)
    await rm(directory, { recursive: true, force: true })
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  printResults(await run(Number(process.argv[2] ?? usualMinutes)))
