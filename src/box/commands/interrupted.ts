import { constants } from "node:os"

/** What asks a command to stop. */
export const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** A command was told to stop, or nobody reads what it prints any more; there is nothing to say about it. */
export class Interrupted extends Error {
  readonly status: number

  constructor(signal: (typeof stopSignals)[number] | "SIGPIPE") {
    super(`Stopped by ${signal}.`)
    this.status = 128 + constants.signals[signal]
  }
}
