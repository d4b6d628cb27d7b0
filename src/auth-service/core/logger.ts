import { destination, pino } from "pino"

export interface Logger {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Writes JSON lines to stderr. Stdout is only for the ready line and the output of commands. */
export function createLogger(): Logger {
  return pino(
    { base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: (level) => ({ level }) } },
    destination({ fd: 2, sync: true }),
  )
}

/** For tests and short commands. */
export const silentLogger: Logger = { info() {}, warn() {}, error() {} }
