import { type ConnectionRecord, type LocalOnly, createOutbound, type Outbound } from "../outbound.ts"

export interface OpenOutbound extends Outbound {
  /** The recorded connections, each in its latest state, in the order they started. */
  readonly records: ConnectionRecord[]
  /** Changes the local-only state; this alone ends nothing. */
  set(localOnly: Partial<LocalOnly>): void
}

/** An outbound that allows everything until it is configured otherwise, and keeps its records. */
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
