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
  /** Device and inode of the data directory: a copy has the same file but other numbers. Earlier versions wrote none. */
  directory: z.string().optional(),
})
export type RunFile = z.infer<typeof RunFile>

function getDirectoryIdentity(dataDir: string): string {
  const { dev, ino } = statSync(dataDir, { bigint: true })
  return `${dev}:${ino}`
}

/** Returns the address of the data directory's running box; null if none is running. Used by the command line. */
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

/** Returns null if there is no file, undefined if it is damaged. */
function readRunFile(path: string): RunFile | null | undefined {
  if (!existsSync(path)) return null
  return readStored(RunFile, readSmallFileNow(path))
}

const connectTimeoutMs = 1_000
/** A killed process releases its lock a moment before its address. */
const endTimeoutMs = 2_000
const endPauseMs = 50

/**
 * Takes the data directory for this process, like `lockDataDirectory`, and also detects a running box whose lock file was deleted.
 * @throws AppError `conflict` in that case; the errors of `claimDataDirectory`
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

/** Checks the address that the last box left, if its process is alive. A box that shut down cleanly has left none. */
async function requireNoBox(dataDir: string): Promise<void> {
  const path = runFilePath(dataDir)
  const last = readRunFile(path)
  if (!last || last.pid === process.pid) return
  if ((last.directory ?? getDirectoryIdentity(dataDir)) !== getDirectoryIdentity(dataDir)) return // copied while a box was running on it
  const until = performance.now() + endTimeoutMs
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
    await once(socket, "connect", { signal: AbortSignal.timeout(connectTimeoutMs) })
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
    return (error as NodeJS.ErrnoException).code === "EPERM" // another user's process
  }
}

/** Whether the last box ended without a clean shutdown, for example by `kill -9` or a power cut. The caller must hold the lock. */
export const wasInterrupted = (dataDir: string): boolean => existsSync(runFilePath(dataDir))

export function writeRunFile(dataDir: string, { url, pid }: RunFile): void {
  const path = runFilePath(dataDir)
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) rmSync(path, { recursive: true })
  const run: RunFile = { url, pid, directory: getDirectoryIdentity(dataDir) }
  replaceSmallFileNow(path, JSON.stringify(run), { mode: 0o600 })
}

export function removeRunFile(dataDir: string): void {
  rmSync(runFilePath(dataDir), { force: true })
}
