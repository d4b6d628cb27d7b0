import type { EgressOutcome, EgressPurpose } from "../../../shared/contract/privacy.ts"
import { newId, timestamp } from "../ids.ts"
import { currentCause, type Cause } from "./on-behalf-of.ts"

/** Record of a connection: without path, query, headers and body. */
export interface ConnectionRecord extends Cause {
  id: string
  startedAt: string
  /** Null while it is open. */
  durationMs: number | null
  purpose: EgressPurpose
  host: string
  outcome: EgressOutcome
  /** Null if the box can't measure it. */
  bytesSent: number | null
  bytesReceived: number | null
}

/** Receives a record when its connection starts, and again with the same ID at intervals and at the end. Must not throw. */
export type RecordConnection = (record: ConnectionRecord) => void

const maxHostLength = 255

/** A connection that is being recorded. Only the first end takes effect. */
export interface Noted {
  sent(bytes: number): void
  received(bytes: number): void
  end(outcome: Exclude<EgressOutcome, "open">): void
}

/** Interval at which the progress of a long connection is recorded, so that it is known after a crash. */
const reportIntervalMs = 5_000

/** Starts recording a connection. `countable`: its bytes will be reported. */
export function note(
  record: RecordConnection,
  { purpose, host, countable }: { purpose: EgressPurpose; host: string; countable: boolean },
): Noted {
  const started = performance.now()
  let reportedAt = started
  const now: ConnectionRecord = {
    ...currentCause(),
    id: newId(),
    startedAt: timestamp(),
    durationMs: null,
    purpose,
    host: host.slice(0, maxHostLength),
    outcome: "open",
    bytesSent: countable ? 0 : null,
    bytesReceived: countable ? 0 : null,
  }
  const count = (field: "bytesSent" | "bytesReceived") => (bytes: number) => {
    now[field] = (now[field] ?? 0) + bytes
    if (now.outcome !== "open" || performance.now() - reportedAt < reportIntervalMs) return
    reportedAt = performance.now()
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
