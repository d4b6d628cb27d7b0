import { once } from "node:events"
import { existsSync, rmSync, statSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { z } from "zod"
import { isLoopbackHost } from "../outbound/loopback.ts"
import { replaceSmallFileNow, readSmallFileNow } from "../files/small-file.ts"
import { readStored } from "../database/stored-json.ts"
import { lockFile, type ClaimOptions } from "./claim.ts"
import { lockDataDirectory, type InstanceLock } from "./instance-lock.ts"
import { TerminalError } from "../terminal-error.ts"

const runFilePath = (dataDir: string) => join(dataDir, "box.json")

const RunFile = z.object({
  url: z.string(),
  pid: z.int(),
  /** The numbers of the data directory: a copy has the same file, and others. Earlier versions wrote none. */
  directory: z.string().optional(),
})
export type RunFile = z.infer<typeof RunFile>

function numbersOf(dataDir: string): string {
  const { dev, ino } = statSync(dataDir, { bigint: true })
  return `${dev}:${ino}`
}

/** Where the running box of a data directory is; null when none runs. Written for the command line. */
export function findRunningBox(dataDir: string): RunFile | null {
  if (!existsSync(dataDir)) return null
  const lock = lockDataDirectory(dataDir)
  if (lock) {
    lock[Symbol.dispose]()
    return null
  }
  const path = runFilePath(dataDir)
  const found = readRunFile(path)
  if (found !== undefined) return found
  throw new TerminalError(
    "unavailable",
    `The box runs, but ${path}, which says where, is damaged. Stop the box and start it again.`,
  )
}

/** Null when there is none, undefined for one that is damaged. */
function readRunFile(path: string): RunFile | null | undefined {
  if (!existsSync(path)) return null
  return readStored(RunFile, readSmallFileNow(path))
}

const longestConnectMs = 1_000
/** A process that is killed gives up its lock a moment before its address. */
const longestEndMs = 2_000
const endPauseMs = 50

/**
 * Takes the data directory for this process, as `lockDataDirectory` does, also from those who delete what locks a running box.
 * @throws AppError `conflict` then; what `claimDataDirectory` throws
 */
export async function takeDataDirectory(
  dataDir: string,
  options?: ClaimOptions,
): Promise<InstanceLock | null> {
  const lock = lockDataDirectory(dataDir, options)
  if (!lock) return null
  try {
    await requireNoBox(dataDir)
    return lock
  } catch (error) {
    lock[Symbol.dispose]()
    throw error
  }
}

/** Asks at the address that the last box left, when its process is alive; a box that ended as it should has left none. */
async function requireNoBox(dataDir: string): Promise<void> {
  const path = runFilePath(dataDir)
  const last = readRunFile(path)
  if (!last || last.pid === process.pid) return
  if ((last.directory ?? numbersOf(dataDir)) !== numbersOf(dataDir)) return // copied from beneath a running box
  const until = performance.now() + longestEndMs
  while (isAlive(last.pid) && (await isReachable(last.url))) {
    if (performance.now() > until)
      throw new TerminalError(
        "conflict",
        `A box runs on ${dataDir} (process ${last.pid}, ${last.url}) although its ${lockFile} was deleted. Stop it first. If that process is none of Casella's, delete ${path}.`,
      )
    await wait(endPauseMs)
  }
}

async function isReachable(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url)
  const host = isLoopbackHost(hostname) ? hostname.replace(/^\[|\]$/g, "") : "127.0.0.1"
  const socket = connect({ host, port: Number(port) })
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(longestConnectMs) })
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM" // somebody else's
  }
}

/** Whether the last box was ended without coming to its end, as `kill -9` and power cuts do. Only for whoever holds the lock. */
export const wasCutOff = (dataDir: string): boolean => existsSync(runFilePath(dataDir))

export function writeRunFile(dataDir: string, { url, pid }: RunFile): void {
  const path = runFilePath(dataDir)
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) rmSync(path, { recursive: true })
  const run: RunFile = { url, pid, directory: numbersOf(dataDir) }
  replaceSmallFileNow(path, JSON.stringify(run), { mode: 0o600 })
}

export function removeRunFile(dataDir: string): void {
  rmSync(runFilePath(dataDir), { force: true })
}
