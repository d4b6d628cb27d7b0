import type { ConnectionRecord } from "../connection-record.ts"
import type { LocalOnly } from "../local-only.ts"
import { createOutbound, type Outbound } from "../outbound.ts"

export interface OpenOutbound extends Outbound {
  /** What was written down, the newest state of each connection, in the order they began. */
  readonly records: ConnectionRecord[]
  /** Changes what holds; nothing is ended by that alone. */
  set(localOnly: Partial<LocalOnly>): void
}

/** A seam that lets everything through until it is told otherwise, and keeps what it writes down. */
export function openOutbound(): OpenOutbound {
  let localOnly: LocalOnly = { on: false, decidedBy: "settings", programs: false }
  const records = new Map<string, ConnectionRecord>()
  const outbound = createOutbound({
    localOnly: () => localOnly,
    record: (each) => void records.set(each.id, each),
  })
  return {
    ...outbound,
    get records() {
      return [...records.values()]
    },
    set: (changes) => (localOnly = { ...localOnly, ...changes }),
  }
}
