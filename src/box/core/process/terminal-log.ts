import { pino } from "pino"
import { waitAtMost } from "../waiting/time-limit.ts"

const endTimeoutMs = 200

/** Log lines for the terminal in which this process was started. */
export interface TerminalLog extends AsyncDisposable {
  write(line: string): void
}

/**
 * A paused terminal (Ctrl+S) blocks the writer, so one of Node's threads writes to it. Further lines are queued up to this size; the
 * remaining ones are counted, and their number is printed when the terminal continues.
 */
export function openTerminalLog(maxBacklogBytes: number): TerminalLog {
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
