import { isDeepStrictEqual } from "node:util"

/** One written item as the box must show it: its state, or null if it must not exist. */
export interface Entry<S> {
  /** Assigned by the lab, to identify the item even if the answer with its id was lost. */
  readonly name: string
  id: string
  state: S | null
  /** Other acceptable states, because a write was cut before its answer. */
  doubt: ((found: S | null) => boolean) | null
  /** A write is in progress: no other writer may choose this item. */
  busy: boolean
}

export interface Found<S> {
  name: string
  id: string
  state: S
}

export interface Write<S> {
  name: string
  /** State after the write is acknowledged; null if the write removes the item. */
  after: S | null
  /** Intermediate states that are valid if the write is cut. They must not be the result of another write. */
  between?: (found: S | null) => boolean
  /** Settles when the write is acknowledged: with the id if it created the item, and with the state if only the answer contains it. */
  send: () => Promise<{ id?: string; state?: S } | void>
}

export type FaultKind = "lost" | "doubled" | "wrong" | "returned" | "unknown"

/** A violation: an acknowledged item is lost, exists twice, is in a third state, is back after its deletion, or was written by no one. */
export interface LedgerFault {
  kind: FaultKind
  book: string
  name: string
  expected: unknown
  found: unknown
}

/** All items of one kind, such as notifications. */
export interface Book<S> {
  /** Items that certainly exist and aren't being written. */
  listExisting(): Entry<S>[]
  /** All items that ever existed, for readers that must request each one. */
  entries(): Entry<S>[]
  /** Sends one write. Returns false if it can't be sent now, was refused or was cut. */
  write(write: Write<S>): Promise<boolean>
  /** Sends one write that affects all existing items. Also returns false while the state of any item is uncertain. */
  writeAll(after: (state: S) => S | null, send: () => Promise<unknown>): Promise<boolean>
  /** Compares with the box's data, which is expected from then on. Call it only while nothing is being written. */
  settle(found: readonly Found<S>[]): LedgerFault[]
}

/** Functions that all books of a ledger share. */
export interface Journal {
  note(book: string, step: string, name: string, state?: unknown): void
  /** Whether the box reported that nothing was written. Any other failure may have happened after the write. */
  isRefusal(error: unknown, book: string, name: string): boolean
  /** Reports that the answer to a write was lost. */
  cut(): void
}

export function createBook<S>(bookName: string, journal: Journal): Book<S> {
  const entries = new Map<string, Entry<S>>()
  let writing = 0
  let closed = false
  const listExisting = () =>
    [...entries.values()].filter((one) => one.state !== null && !one.doubt && !one.busy)

  return {
    listExisting,
    entries: () => [...entries.values()],

    async write({ name, after, between, send }) {
      const entry = entries.get(name) ?? { name, id: "", state: null, doubt: null, busy: false }
      if (closed || entry.busy || entry.doubt) return false
      entries.set(name, entry)
      entry.busy = true
      writing++
      journal.note(bookName, "sent", name, after)
      try {
        const answer = await send()
        entry.id = answer?.id ?? entry.id
        entry.state = answer?.state ?? after
        journal.note(bookName, "acknowledged", name)
        return true
      } catch (error) {
        const refused = journal.isRefusal(error, bookName, name)
        journal.note(bookName, refused ? "refused" : "cut", name, String(error))
        if (refused) return false
        journal.cut()
        const before = entry.state
        entry.doubt = (found) =>
          isDeepStrictEqual(found, before) || isDeepStrictEqual(found, after) || (between?.(found) ?? false)
        return false
      } finally {
        entry.busy = false
        writing--
      }
    },

    async writeAll(after, send) {
      const all = listExisting()
      const isDoubtful = [...entries.values()].some(({ doubt }) => doubt !== null)
      if (closed || writing > 0 || isDoubtful) return false
      closed = true
      journal.note(bookName, "sent", "*")
      try {
        await send()
        for (const entry of all) entry.state = entry.state === null ? null : after(entry.state)
        journal.note(bookName, "acknowledged", "*")
        return true
      } catch (error) {
        const refused = journal.isRefusal(error, bookName, "*")
        journal.note(bookName, refused ? "refused" : "cut", "*", String(error))
        if (refused) return false
        journal.cut()
        for (const entry of all) {
          const either = [entry.state, entry.state === null ? null : after(entry.state)]
          entry.doubt = (found) => either.some((state) => isDeepStrictEqual(found, state))
        }
        return false
      } finally {
        closed = false
      }
    },

    settle(found) {
      const faults: LedgerFault[] = []
      const report = (kind: FaultKind, name: string, expected: unknown, seen: unknown) =>
        faults.push({ kind, book: bookName, name, expected, found: seen })
      const byName = Map.groupBy(found, ({ name }) => name)
      for (const [name, all] of byName) {
        if (all.length > 1) report("doubled", name, 1, all.length)
        if (!entries.has(name)) report("unknown", name, null, all[0]?.state)
      }
      for (const entry of entries.values()) {
        const seen = byName.get(entry.name)?.[0]
        const state = seen?.state ?? null
        const right = entry.doubt ? entry.doubt(state) : isDeepStrictEqual(state, entry.state)
        if (!right) {
          const kind = state === null ? "lost" : entry.state === null && !entry.doubt ? "returned" : "wrong"
          report(kind, entry.name, entry.state, state)
        }
        Object.assign(entry, { state, id: seen?.id ?? entry.id, doubt: null })
      }
      for (const fault of faults) journal.note(bookName, fault.kind, fault.name, fault)
      return faults
    },
  }
}
