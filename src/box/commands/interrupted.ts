import { constants } from "node:os"

/** Signals that stop a command. */
export const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** A command was stopped, or no one reads its output any more. It prints no message. */
export class Interrupted extends Error {
  readonly status: number

  constructor(signal: (typeof stopSignals)[number] | "SIGPIPE") {
    super(`Stopped by ${signal}.`)
    this.status = 128 + constants.signals[signal]
  }
}
