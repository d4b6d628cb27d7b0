import { mkdirSync } from "node:fs"
import { pino } from "pino"
import { currentRequestId } from "../async-context.ts"
import { logsPath } from "../data-layout.ts"
import { writeOutput } from "../process/write-output.ts"
import { waitAtMost } from "../waiting/abort-and-timeout.ts"
import { RollingFile } from "./rolling-file.ts"

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
