import { open, readdir } from "node:fs/promises"
import { join } from "node:path"
import { LogLevel, type LogLine } from "../../../shared/contract/logs.ts"
import { redact } from "../../core/logging/redact.ts"

/** Maximum bytes of the newest files to search, however few of their lines are wanted. */
const maxBytes = 4 * 1024 * 1024
const maxDetailsLength = 8_000
const maxMessageLength = 2_000

/** The last lines of a log directory at this level or above, oldest first. */
export async function readLog(directory: string, level: LogLevel, limit: number): Promise<LogLine[]> {
  const wanted = new Set(LogLevel.options.slice(LogLevel.options.indexOf(level)))
  let left = maxBytes
  let found: LogLine[] = []
  for (const name of await newestFirst(directory)) {
    const text = await readEnd(join(directory, name), left)
    left -= Buffer.byteLength(text)
    const lines = text
      .split("\n")
      .map(parseLine)
      .filter((line) => line !== null && wanted.has(line.level))
    found = [...lines.slice(-(limit - found.length)), ...found] as LogLine[]
    if (found.length >= limit || left <= 0) break
  }
  return found.map(present)
}

/** Rotated files have increasing numbers. */
async function newestFirst(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return []
    throw error
  })
  const number = (name: string) => Number(/^box\.(\d+)\.log$/.exec(name)?.[1] ?? Number.NaN)
  return names.filter((name) => !Number.isNaN(number(name))).toSorted((a, b) => number(b) - number(a))
}

/** The end of a file, starting with the first complete line. */
async function readEnd(path: string, bytes: number): Promise<string> {
  await using file = await open(path)
  const { size } = await file.stat()
  const start = Math.max(0, size - bytes)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(size, bytes)), { position: start })
  const text = buffer.subarray(0, bytesRead).toString()
  return start === 0 ? text : text.slice(text.indexOf("\n") + 1)
}

function parseLine(line: string): LogLine | null {
  let fields: unknown
  try {
    fields = JSON.parse(line)
  } catch {
    return null // a line that is still being written, or cut off by a power failure
  }
  if (typeof fields !== "object" || fields === null) return null
  const { level, time, msg, ...rest } = fields as Record<string, unknown>
  const known = LogLevel.safeParse(level === "fatal" ? "error" : level)
  if (!known.success || typeof time !== "string") return null
  const details = Object.keys(rest).length === 0 ? null : JSON.stringify(rest)
  return { time, level: known.data, message: typeof msg === "string" ? msg : "", details }
}

/** Redacts before truncating, because a truncated secret no longer looks like one. */
const present = ({ message, details, ...line }: LogLine): LogLine => ({
  ...line,
  message: redact(message).slice(0, maxMessageLength),
  details: details === null ? null : redact(details).slice(0, maxDetailsLength),
})
