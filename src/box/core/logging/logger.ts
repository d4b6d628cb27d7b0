import { write, mkdirSync } from "node:fs"
import { open, readdir, rm, type FileHandle } from "node:fs/promises"
import { join } from "node:path"
import { pino } from "pino"
import { currentRequestId } from "../async-context.ts"
import { logsPath } from "../data-layout.ts"
import { waitAtMost } from "../waiting/abort-and-timeout.ts"

/**
 * Writes to the standard output or the standard error. A paused terminal (Ctrl+S) blocks the writer, so one of Node's threads writes to it.
 */
export function writeOutput(stream: NodeJS.WriteStream & { fd: 1 | 2 }, text: string): void {
  if (stream.isTTY) write(stream.fd, text, () => undefined)
  else stream.write(text)
}

interface Limits {
  maxFileBytes: number
  maxFiles: number
  /** Lines are kept in memory while they can't be written, for example on a full disk. Lines beyond this size are dropped. */
  maxBacklogBytes: number
}

const fileName = /^box\.(\d+)\.log$/
const newline = 0x0a
const getPath = (directory: string, number: number) => join(directory, `box.${number}.log`)

/**
 * Writes lines to `box.1.log`, `box.2.log` and so on. When a file is full, the next one is started and the oldest is deleted. Writing never
 * blocks or throws: `onError` receives errors, and the next line retries.
 */
export class RollingFile {
  readonly #directory: string
  readonly #limits: Limits
  readonly #onError: (error: Error) => void
  #file: FileHandle
  #number: number
  #size: number
  /** Lines that still have to be written, oldest first. */
  #backlog: Buffer[] = []
  #backlogBytes = 0
  #writing: Promise<void> | null = null
  #isAtLineStart = true

  private constructor(
    directory: string,
    limits: Limits,
    onError: (error: Error) => void,
    opened: { file: FileHandle; number: number; size: number },
  ) {
    this.#directory = directory
    this.#limits = limits
    this.#onError = onError
    this.#file = opened.file
    this.#number = opened.number
    this.#size = opened.size
  }

  /** Continues the newest file, after any unfinished last line from a crash. */
  static async open(
    directory: string,
    limits: Limits,
    onError: (error: Error) => void,
  ): Promise<RollingFile> {
    const number = (await listNumbers(directory)).at(-1) ?? 1
    const file = await open(getPath(directory, number), "a+")
    const { size } = await file.stat()
    const rolling = new RollingFile(directory, limits, onError, { file, number, size })
    if (size > 0) {
      const last = await file.read(Buffer.alloc(1), { position: size - 1 })
      if (last.buffer.toString() !== "\n") rolling.write("\n")
    }
    return rolling
  }

  write(line: string): void {
    const bytes = Buffer.from(line)
    if (bytes.length > 0 && this.#backlogBytes + bytes.length <= this.#limits.maxBacklogBytes) {
      this.#backlog.push(bytes)
      this.#backlogBytes += bytes.length
    }
    if (this.#backlog.length > 0) this.#writing ??= this.#writeBacklog()
  }

  /** Writes the remaining lines, with one retry if writing failed before, and closes the file. */
  async close(): Promise<void> {
    await this.#writing
    if (this.#backlog.length > 0) await this.#writeBacklog()
    await this.#file.close().catch(this.#onError)
  }

  async #writeBacklog(): Promise<void> {
    try {
      while (this.#backlog.length > 0) await this.#writeSome()
    } catch (error) {
      this.#onError(error as Error)
    }
    this.#writing = null
  }

  /** Writes as many queued lines as fit into the file, at least one. A line isn't split between files. */
  async #writeSome(): Promise<void> {
    const [first] = this.#backlog
    if (!first) return
    const isFull = this.#size > 0 && this.#size + first.length > this.#limits.maxFileBytes
    if (isFull && this.#isAtLineStart) await this.#roll()
    let count = 1
    let bytes = first.length
    for (const line of this.#backlog.slice(1)) {
      if (this.#size + bytes + line.length > this.#limits.maxFileBytes) break
      count += 1
      bytes += line.length
    }
    const text = Buffer.concat(this.#backlog.slice(0, count), bytes)
    const { bytesWritten } = await this.#file.write(text)
    this.#isAtLineStart = text[bytesWritten - 1] === newline
    this.#size += bytesWritten
    this.#forget(bytesWritten)
  }

  /** On a nearly full disk, fewer bytes may be written than requested: the rest of a line stays first. */
  #forget(bytes: number): void {
    this.#backlogBytes -= bytes
    let left = bytes
    while (left > 0) {
      const line = this.#backlog.shift()
      if (!line) return
      if (line.length > left) this.#backlog.unshift(line.subarray(left))
      left -= line.length
    }
  }

  async #roll(): Promise<void> {
    const next = await open(getPath(this.#directory, this.#number + 1), "a")
    await this.#file.close().catch(this.#onError)
    this.#file = next
    this.#number += 1
    this.#size = (await next.stat()).size
    const oldest = this.#number - this.#limits.maxFiles
    for (const number of await listNumbers(this.#directory))
      if (number <= oldest) await rm(getPath(this.#directory, number), { force: true })
  }
}

/** Returns the numbers of a directory's log files, ascending. */
async function listNumbers(directory: string): Promise<number[]> {
  const names = await readdir(directory)
  return names
    .flatMap((name) => fileName.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => a - b)
}

const endTimeoutMs = 200

/** Log lines for the terminal in which this process was started. */
interface TerminalLog extends AsyncDisposable {
  write(line: string): void
}

/**
 * A paused terminal (Ctrl+S) blocks the writer, so one of Node's threads writes to it. Further lines are queued up to this size; the
 * remaining ones are counted, and their number is printed when the terminal continues.
 */
function openTerminalLog(maxBacklogBytes: number): TerminalLog {
  const terminal = pino.destination({ fd: 2, sync: false, maxLength: maxBacklogBytes })
  terminal.on("error", () => undefined) // the terminal was closed; the log file has the lines
  let dropped = 0
  terminal.on("drop", () => dropped++)
  terminal.on("drain", () => {
    if (dropped === 0) return
    const notice = `${dropped} lines came while the terminal was held, and are in the log's file only.\n`
    dropped = 0
    terminal.write(notice)
  })
  return {
    write: (line) => void terminal.write(line),
    async [Symbol.asyncDispose]() {
      await waitAtMost(endTimeoutMs, new Promise<void>((resolve) => terminal.flush(() => resolve())))
      terminal.destroy() // otherwise its end would wait for the terminal
    },
  }
}

export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export interface RunningLogger extends Logger, AsyncDisposable {}

/** Lines that can't be written are kept up to this size. Further lines are written to stderr only. */
const maxBacklogBytes = 1_000_000
const limits = { maxFileBytes: 5 * 1024 * 1024, maxFiles: 5, maxBacklogBytes }

/**
 * Writes JSON lines to `logs/` in the data directory, at most five files of 5 MB, and to stderr unless `quiet`. Lines of a request include
 * its `requestId`.
 */
export async function openLogger(dataDir: string, { quiet = false } = {}): Promise<RunningLogger> {
  const directory = logsPath(dataDir)
  mkdirSync(directory, { recursive: true })
  const file = await RollingFile.open(directory, limits, (error) =>
    writeOutput(process.stderr, `The log can't be written: ${error.message}\n`),
  )
  let isOpen = true
  /** Logging a failure after the log is closed must not fail again: that would end the process. */
  const safeStream = { write: (line: string) => void (isOpen && file.write(line)) }
  const terminal = !quiet && process.stderr.isTTY ? openTerminalLog(maxBacklogBytes) : null
  const log = pino(
    {
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
      mixin() {
        const requestId = currentRequestId()
        return requestId === undefined ? {} : { requestId }
      },
    },
    pino.multistream([...(quiet ? [] : [{ stream: terminal ?? process.stderr }]), { stream: safeStream }]),
  )
  if (terminal) {
    // Node would write its warnings to stderr itself, and block while the terminal is paused.
    process.removeAllListeners("warning")
    process.on("warning", (warning) => log.warn({ err: warning }, "Node.js emitted a warning"))
  }
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    error: (fields, message) => log.error(fields, message),
    async [Symbol.asyncDispose]() {
      isOpen = false
      await terminal?.[Symbol.asyncDispose]()
      await file.close()
    },
  }
}

/** For tests and short commands. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} }
