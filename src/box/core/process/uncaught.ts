import { AppError } from "../../../shared/contract/errors.ts"
import type { Logger } from "../logging/logger.ts"

/** Exit code of a box that ended because of an internal error: the system's EX_SOFTWARE. */
export const faultExitCode = 70

/**
 * Handles uncaught errors. Unhandled rejections and external errors (the disk, a socket, the database) don't affect the box's state: they
 * are logged with their count, and the box continues. Any other exception in a callback may have left something unfinished: it is logged
 * last, and `end` is called once.
 */
export function watchUncaught(logger: Logger, end: () => void): Disposable {
  let count = 0
  let ending = false

  const onRejection = (reason: unknown) =>
    logger.error({ err: reason, count: ++count }, "No code handled this error; the server continues")
  const onException = (error: unknown) => {
    const outside = isExternalError(error)
    const then = outside ? "the box goes on" : `the box ends with exit code ${faultExitCode}`
    logger.error({ err: error, count: ++count }, `Nothing caught this error; ${then}`)
    if (outside || ending) return
    ending = true
    end()
  }

  process.on("unhandledRejection", onRejection)
  process.on("uncaughtException", onException)
  return {
    [Symbol.dispose]() {
      process.off("unhandledRejection", onRejection)
      process.off("uncaughtException", onException)
    },
  }
}

/** Whether the system, the database or a client caused the error, and not the box's own code. */
export function isExternalError(error: unknown): boolean {
  if (error instanceof AppError) return true
  const { code, syscall } = (error ?? {}) as { code?: unknown; syscall?: unknown }
  return typeof syscall === "string" || (typeof code === "string" && code.startsWith("SQLITE_"))
}
