import { pino } from "pino"
import { waitAtMost } from "../waiting/time-limit.ts"

const longestEndMs = 200

/** Lines for the terminal that this process was started in. */
export interface TerminalLog extends AsyncDisposable {
  write(line: string): void
}

/**
 * A terminal takes nothing while somebody holds it (Ctrl+S), and whoever writes to it waits as long. So one of Node's threads
 * does, with the next lines behind it up to so many bytes; further ones are counted, and told once it goes on.
 */
export function openTerminalLog(longestBacklogBytes: number): TerminalLog {
  const terminal = pino.destination({ fd: 2, sync: false, maxLength: longestBacklogBytes })
  terminal.on("error", () => undefined) // it was closed; the log's file has the lines
  let dropped = 0
  terminal.on("drop", () => dropped++)
  terminal.on("drain", () => {
    if (dropped === 0) return
    const told = `${dropped} lines came while the terminal was held, and are in the log's file only.\n`
    dropped = 0
    terminal.write(told)
  })
  return {
    write: (line) => void terminal.write(line),
    async [Symbol.asyncDispose]() {
      await waitAtMost(longestEndMs, new Promise<void>((resolve) => terminal.flush(() => resolve())))
      terminal.destroy() // or its end would wait for the terminal
    },
  }
}
