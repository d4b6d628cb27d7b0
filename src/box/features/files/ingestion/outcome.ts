import { reason } from "../../../../shared/contract/file-reasons.ts"
import type { FileReason } from "../../../../shared/contract/files.ts"
import { ObjectStoreUnavailable, ObjectStoreRefused } from "../../../core/objects/object-store.ts"
import { getTransientCause, type TransientCause } from "../../../parsers/document/transient-cause.ts"
import { ParseFailure } from "../../../parsers/parser.ts"

/** The consequence of an error for the file in which it occurred. */
export type ErrorOutcome =
  /** Final. */
  | { kind: "end"; status: "failed" | "skipped"; reason: FileReason }
  /** Not the file's fault: it waits in the queue until there is disk space. */
  | { kind: "disk-full" }
  /** The work was cancelled. */
  | { kind: "put-back" }
  /** Possibly temporary: retried up to this many times, with increasing delays. */
  | { kind: "later"; attempts: number; note: FileReason; reason: FileReason }

const diskFullCodes = new Set(["disk_full", "ENOSPC", "EDQUOT", "SQLITE_FULL"])
const gone = new Set(["not_found", "ENOENT", "ENOTDIR"])

const later: Record<
  TransientCause | "storeAway" | "fault",
  { kind: "later"; attempts: number; note: FileReason }
> = {
  locked: {
    kind: "later",
    attempts: Infinity,
    note: reason("locked"),
  },
  device: {
    kind: "later",
    attempts: 6,
    note: reason("device_failing"),
  },
  exchanged: { kind: "later", attempts: 6, note: reason("changes_while_read") },
  storeAway: { kind: "later", attempts: Infinity, note: reason("store_away") },
  died: { kind: "later", attempts: 3, note: reason("parser_ended_for_now") },
  fault: { kind: "later", attempts: 3, note: reason("read_later") },
}

export function getOutcome(error: unknown, closing: boolean): ErrorOutcome {
  if (closing || typeof error === "symbol") return { kind: "put-back" }
  if (error instanceof ParseFailure) {
    const { transientCause, outcome, reason } = error
    return transientCause ? { ...later[transientCause], reason } : { kind: "end", status: outcome, reason }
  }
  if (error instanceof ObjectStoreUnavailable || error instanceof ObjectStoreRefused)
    return { ...later.storeAway, reason: reason("store_away") }
  const code = (error as { code?: unknown } | null)?.code
  if (typeof code === "string" && diskFullCodes.has(code)) return { kind: "disk-full" }
  if (typeof code === "string" && gone.has(code)) {
    return { kind: "end", status: "failed", reason: reason("gone") }
  }
  if (code === "EACCES" || code === "EPERM") {
    return { kind: "end", status: "failed", reason: reason("not_allowed") }
  }
  const transientCause = getTransientCause(error)
  if (transientCause) return { ...later[transientCause], reason: reason("device_failed") }
  return { ...later.fault, reason: reason("box_failed") }
}
