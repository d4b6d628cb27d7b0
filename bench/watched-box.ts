import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { residentMb } from "./processes.ts"
import { startBoxProcess, type BoxProcess } from "../src/box/testing/box-process.ts"

export interface Pauses {
  max: number
  p99: number
  /** Maximum processor time between two turns of the event loop: what would remain of `max` on an otherwise idle machine. */
  busiest: number
}

/** A box process whose event loop, memory and descriptors can be inspected (Linux). */
export interface WatchedBox extends BoxProcess {
  /** Resident memory in MB. */
  residentMb(): number
  descriptors(): number
  /** Pauses of its event loop since the last call, in milliseconds. */
  pauses(): Promise<Pauses>
  /** Ids of the processes it started. */
  children(): number[]
}

export async function startWatchedBox(dataDir: string, ...flags: string[]): Promise<WatchedBox> {
  const file = join(dataDir, "pauses.json")
  const probe = fileURLToPath(new URL("probes/loop-pauses.ts", import.meta.url))
  process.env["CASELLA_BENCH_PAUSES"] = file
  process.env["NODE_OPTIONS"] = `--import=${probe}`
  const box = await startBoxProcess(dataDir, ...flags).finally(() => {
    delete process.env["NODE_OPTIONS"]
    delete process.env["CASELLA_BENCH_PAUSES"]
  })
  const pid = box.child.pid ?? 0
  return {
    ...box,
    residentMb: () => residentMb(pid),
    descriptors: () => readdirSync(`/proc/${pid}/fd`).length,
    async pauses() {
      rmSync(file, { force: true })
      box.child.kill("SIGUSR2")
      while (!existsSync(file)) await pause(5)
      await pause(20) // time to write the file
      return JSON.parse(readFileSync(file, "utf8")) as Pauses
    },
    children: () =>
      readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  }
}

/** A result with a maximum. */
export const atMost = (name: string, value: number, unit: string, target: number) => ({
  name,
  value,
  unit,
  target: `≤${target}`,
  ok: value <= target,
})
