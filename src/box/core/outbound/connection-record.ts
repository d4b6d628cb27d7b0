import type { EgressOutcome, EgressPurpose } from "../../../shared/contract/privacy.ts"
import { newId, timestamp } from "../ids.ts"
import { currentCause, type Cause } from "./on-behalf-of.ts"

/** What is written down of a connection: no path, no query, no header and no body. */
export interface ConnectionRecord extends Cause {
  id: string
  startedAt: string
  /** Null while it is open. */
  durationMs: number | null
  purpose: EgressPurpose
  host: string
  outcome: EgressOutcome
  /** Null where the box can't see it. */
  bytesSent: number | null
  bytesReceived: number | null
}

/**
 * Takes a record when its connection begins, and again, with the same id, when it ends and now and then in between.
 * Must not throw.
 */
export type RecordConnection = (record: ConnectionRecord) => void

const longestHost = 255

/** A connection that is being written down; ends once, whatever is said later. */
export interface Noted {
  sent(bytes: number): void
  received(bytes: number): void
  end(outcome: Exclude<EgressOutcome, "open">): void
}

/** Long ones show how they get on, also after a crash. */
const tellMs = 5_000

/** Begins to write down a connection. `countable`: its bytes will be told. */
export function note(
  record: RecordConnection,
  { purpose, host, countable }: { purpose: EgressPurpose; host: string; countable: boolean },
): Noted {
  const started = performance.now()
  let told = started
  const now: ConnectionRecord = {
    ...currentCause(),
    id: newId(),
    startedAt: timestamp(),
    durationMs: null,
    purpose,
    host: host.slice(0, longestHost),
    outcome: "open",
    bytesSent: countable ? 0 : null,
    bytesReceived: countable ? 0 : null,
  }
  const count = (field: "bytesSent" | "bytesReceived") => (bytes: number) => {
    now[field] = (now[field] ?? 0) + bytes
    if (now.outcome !== "open" || performance.now() - told < tellMs) return
    told = performance.now()
    record({ ...now })
  }
  record({ ...now })
  return {
    sent: count("bytesSent"),
    received: count("bytesReceived"),
    end(outcome) {
      if (now.outcome !== "open") return
      now.outcome = outcome
      now.durationMs = Math.round(performance.now() - started)
      record({ ...now })
    },
  }
}
