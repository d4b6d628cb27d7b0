import type { BegunTransaction } from "../../core/database/database.ts"
import { matchesPath } from "./match-path.ts"
import type { RunStore } from "./run-store.ts"
import { triggerOf, type AutomationRow } from "./stored-automation.ts"
import type { AutomationStore } from "./store.ts"

/** A file that was indexed, as its folder's owner tells of it. */
export interface Arrival {
  folderId: string
  fileId: string
  revision: number
  isNew: boolean
  path: string | null
}

export interface ArrivalsDeps {
  store: AutomationStore
  runs: RunStore
  files: {
    take(write: (transaction: BegunTransaction, arrivals: Arrival[]) => Promise<void>): Promise<number>
  }
}

/** Adds a run for each file that somebody waits for; answers whether any did. */
export async function takeArrivals({ store, runs, files }: ArrivalsDeps): Promise<boolean> {
  let isAdded = false
  const write = async (transaction: BegunTransaction, arrivals: Arrival[]) => {
    const waiting = new Map<string, AutomationRow[]>()
    for (const arrival of arrivals) {
      const { folderId } = arrival
      const known = waiting.get(folderId) ?? (await store.waitingFor(transaction, folderId))
      waiting.set(folderId, known)
      for (const automation of known) if (await add(transaction, automation, arrival)) isAdded = true
    }
  }

  async function add(
    transaction: BegunTransaction,
    automation: AutomationRow,
    { fileId, revision, isNew, path }: Arrival,
  ): Promise<boolean> {
    const trigger = triggerOf(automation)
    if (trigger.kind !== "file" || path === null) return false
    if (!trigger.on.includes(isNew ? "added" : "changed")) return false
    if (trigger.match !== null && !matchesPath(trigger.match, path)) return false
    // A standing question is asked of the folder as it is by then: one that waits does for all.
    if (automation.watch === 1 && (await runs.isWaiting(transaction, automation.id))) return false
    return (await runs.add(transaction, automation, { kind: "file", fileId, revision })) !== undefined
  }

  while ((await files.take(write)) > 0);
  return isAdded
}
