import { once } from "node:events"
import { existsSync, truncateSync, rmSync, statSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import SqliteDatabase from "better-sqlite3"
import { z } from "zod"
import { readStored } from "../database/sql-helpers.ts"
import { replaceSmallFileNow, readSmallFileNow } from "../files/file-contents.ts"
import { isLoopbackHost } from "../outbound/loopback.ts"
import { TerminalError } from "../terminal-error.ts"
import { abortAfter } from "../waiting/abort-and-timeout.ts"
import { claimDataDirectory, lockFile, type ClaimOptions } from "./claim.ts"

const holderFile = "in-use"

/** Held while a box runs on a data directory. */
interface InstanceLock extends Disposable {}

/**
 * Locks the data directory for this process, or returns null if another box has it. The lock is an exclusive SQLite transaction, so the
 * operating system releases it however the process ends.
 * @throws the errors of `claimDataDirectory`
 */
export function lockDataDirectory(dataDir: string, options?: ClaimOptions): InstanceLock | null {
  claimDataDirectory(dataDir, options)
  const path = join(dataDir, lockFile)
  try {
    return lockIn(path)
  } catch (error) {
    if (!["SQLITE_NOTADB", "SQLITE_CORRUPT"].includes((error as { code?: string }).code ?? "")) throw error
    // The box never writes to this file, so another program did. SQLite checks the lock before the content, so no one holds it.
    truncateSync(path)
    return lockIn(path)
  }
}

/** Marks a directory as in use by this process until it ends or releases it; returns null if another process has it. */
export const holdDirectory = (directory: string): Disposable | null => lockIn(join(directory, holderFile))

/** Whether a running process has the directory in use. */
export function isLocked(directory: string): boolean {
  if (!existsSync(join(directory, holderFile))) return false
  try {
    using mine = holdDirectory(directory)
    return mine === null
  } catch {
    return false // not a file that a box made
  }
}

function lockIn(path: string): InstanceLock | null {
  const lock = new SqliteDatabase(path, { timeout: 0 })
  try {
    lock.pragma("journal_mode = MEMORY") // nothing is written, because the disk may be full
    lock.exec("BEGIN EXCLUSIVE")
  } catch (error) {
    lock.close()
    if ((error as { code?: string }).code === "SQLITE_BUSY") return null
    throw error
  }
  return { [Symbol.dispose]: () => void lock.close() }
}

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
    `The server is running, but ${path}, which contains its address, is damaged. Restart the server.`,
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
        `A server is running on ${dataDir} (process ${last.pid}, ${last.url}) although its ${lockFile} was deleted. Stop it first. If that process isn't Casella's, delete ${path}.`,
      )
    await wait(endPauseMs)
  }
}

async function isReachable(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url)
  const host = isLoopbackHost(hostname) ? hostname.replace(/^\[|\]$/g, "") : "127.0.0.1"
  const socket = connect({ host, port: Number(port) })
  try {
    await once(socket, "connect", { signal: abortAfter(connectTimeoutMs) })
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
  rmSync(runFilePath(dataDir), { recursive: true, force: true }) // someone may have created a directory there
}
