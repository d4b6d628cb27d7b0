// Processes that a bench starts, and their resource use as the system reports it (Linux).
import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

const ticksPerSecond = 100
const cli = fileURLToPath(new URL("../out/main/cli.js", import.meta.url))

/** A process that has printed its ready line. */
export interface Started {
  child: ChildProcess
  pid: number
  /** Its first line, which is JSON. */
  ready: Record<string, string>
  /** Time from the start to that line. */
  startMs: number
}

/** Starts a Node program and waits for its first line. */
export async function startProcess(...args: string[]): Promise<Started> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] })
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string]
  const startMs = performance.now() - startedAt
  return { child, pid: child.pid ?? 0, ready: JSON.parse(line) as Record<string, string>, startMs }
}

/** Starts the built box on a free port. */
export const startBuiltBox = (dataDir: string): Promise<Started> =>
  startProcess(cli, "--port", "0", "--data", dataDir)

export async function endProcess({ child }: Pick<Started, "child">): Promise<void> {
  const exited = once(child, "exit")
  child.kill()
  await exited
}

const statusMb = (pid: number, name: "VmRSS" | "VmHWM"): number =>
  Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

/** Resident memory in MB. */
export const residentMb = (pid: number): number => statusMb(pid, "VmRSS")

/** Peak resident memory so far, in MB. */
export const maxResidentMb = (pid: number): number => statusMb(pid, "VmHWM")

/** Processor time so far of all threads that still run, in ms. */
export function processorMs(pid: number): number {
  const tasks = `/proc/${pid}/task`
  const readThreadTime = (thread: string) => {
    try {
      return Number(readFileSync(join(tasks, thread, "schedstat"), "utf8").split(" ")[0]) / 1e6
    } catch {
      return 0 // the process has just ended
    }
  }
  return readdirSync(tasks).reduce((sum, thread) => sum + readThreadTime(thread), 0)
}

/** Processor time of running processes and of their ended children, in ms. */
export const spentMs = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
      const ticks = [11, 12, 13, 14].reduce((all, at) => all + Number(fields[at]), 0)
      return sum + (ticks * 1000) / ticksPerSecond
    } catch {
      return sum // the process has just ended
    }
  }, 0)

/** Ids of the running processes that it started. */
export function getChildren(pid: number): number[] {
  const found: number[] = []
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const text = readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").trim()
    if (text !== "") found.push(...text.split(" ").map(Number))
  }
  return found
}

/** Id of a PostgreSQL server's first process, which adds up the usage of its ended children. */
export const getPostgres = (directory: string): number =>
  Number(readFileSync(join(directory, "data/postmaster.pid"), "utf8").split("\n")[0])
