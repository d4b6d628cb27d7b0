import { destination, pino } from "pino"

export interface Logger {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** JSON lines to stderr; stdout is only for the ready line and for what commands print. */
export function createLogger(): Logger {
  return pino(
    { base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: (level) => ({ level }) } },
    destination({ fd: 2, sync: true }),
  )
}

/** For tests and short commands. */
export const silentLogger: Logger = { info() {}, warn() {}, error() {} }
