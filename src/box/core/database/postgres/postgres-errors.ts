import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { DatabaseBusy, DatabaseUnusable } from "../database.ts"

/** Lock not available, statement cancelled by its timeout, deadlock. */
const busy = /^(55P03|57014|40P01)$/
/**
 * Connection exceptions; permissions, names and databases that changed while the box runs; a server that is read-only, overloaded, stopping
 * or starting; and network errors.
 */
const away = /^(08...|25006|25P0[34]|28...|3D000|42501|53[023]..|57P0[1-5]|58...|E[A-Z]+)$/
/** The driver's own errors, which have no codes. */
const cutOff = /^(Connection terminated|timeout expired|Client has encountered)/
/** Driver errors if all connections of the box are in use, or a new one takes too long: nothing was sent. */
const noConnection =
  /^(timeout exceeded when trying to connect|Connection terminated due to connection timeout)/
const unanswered = "Query read timeout"
const diskFull = "53100"

const getCode = (error: unknown): string => (error as { code?: string } | null)?.code ?? ""

/** Whether the outcome of the statement is unknown: the connection can't be used any more. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof Error && error.message === unanswered

/** Whether the server or the network caused the error, and not the statement. */
const isAway = (error: unknown): boolean =>
  away.test(getCode(error)) || isUnanswered(error) || (error instanceof Error && cutOff.test(error.message))

/** Whether the database has no tables yet. */
export const isWithoutTables = (error: unknown): boolean => getCode(error) === "42P01"

/** Whether the server or the network caused the failure. */
export function isServerAway(error: unknown): boolean {
  // Errors of other stores are subclasses.
  const isWrapped =
    error instanceof DatabaseUnusable || (error instanceof AppError && error.constructor === AppError)
  if (!isWrapped) return isAway(error)
  return error.cause === undefined ? getCode(error) === "unavailable" : isServerAway(error.cause)
}

/** Converts an error of the server or the network into the error that callers of the box receive. */
export function toCallerError(cause: unknown): unknown {
  const code = getCode(cause)
  if (busy.test(code) || (cause instanceof Error && noConnection.test(cause.message)))
    return new DatabaseBusy(cause, sentence("core.database_slow"))
  if (code === diskFull) return new AppError("disk_full", sentence("core.database_disk_full"), { cause })
  if (isAway(cause)) return new AppError("unavailable", sentence("core.database_away"), { cause })
  return cause
}

/** Explains why a box can't start on a server, and what to do about it. */
export function toDatabaseUnusable(cause: unknown): DatabaseUnusable {
  return new DatabaseUnusable(`The PostgreSQL database can't be used: ${getReason(cause)}`, { cause })
}

function getReason(cause: unknown): string {
  switch (getCode(cause)) {
    case "28P01":
    case "28000":
      return "the server refuses the name or the password. Look at --database-url."
    case "3D000":
      return "the server has no database of that name. Make it first, or look at --database-url."
    case "42501":
      return "the user may not make tables or extensions in it. Give it the database: ALTER DATABASE … OWNER TO …."
    case "0A000":
    case "58P01":
      return "the server lacks the extension pg_trgm, or ICU. Install its contrib package (postgresql-contrib)."
    case "22021":
    case "22P05":
      return "it doesn't hold every character. Make one with ENCODING 'UTF8'."
    default: {
      if (isAway(cause)) return "the server can't be reached. Look whether it runs, and at --database-url."
      return `${cause instanceof Error ? cause.message : String(cause)}.`
    }
  }
}
