import type { FiledAs } from "../../../shared/contract/filing.ts"
import type { AnyTransaction } from "../../core/database/database.ts"
import { timestamp } from "../../core/ids.ts"
import { recordStep } from "./history.ts"
import { joinPath } from "./named-files.ts"
import { nameTaken, type FilingPlannerDeps } from "./planning.ts"
import { readLocations, type FilingRow, type FilingStore } from "./store.ts"

export interface FilingLocation {
  folderId: string
  subFolder: string
  name: string
}

export const toLocation = ({ vectorId, folder, name }: FiledAs): FilingLocation => ({
  folderId: vectorId,
  subFolder: folder,
  name,
})

/** Records the location at which a moved file arrived. `isRolledBack` is true if that is the location it came from. */
export type RecordArrival = (
  transaction: AnyTransaction,
  place: FilingLocation,
  isRolledBack: boolean,
) => Promise<void>

/** Data for a history entry: who made the change, and a description of the state before or after it. */
interface HistoryDescription {
  by: string | null
  describeState(as: FiledAs): string
}

/** Records the outcome of filings together with the histories of their files. */
export class FilingRecords {
  readonly #store: FilingStore
  readonly #deps: Pick<FilingPlannerDeps, "folder">

  constructor(store: FilingStore, deps: Pick<FilingPlannerDeps, "folder">) {
    this.#store = store
    this.#deps = deps
  }

  /** Loads the other data for a history entry in advance, because nothing can be queried within its transaction. */
  async loadDescription(row: FilingRow, by: string | null): Promise<HistoryDescription> {
    const { was: before, became: after } = readLocations(row)
    const names = new Map<string, string>()
    if (row.action === "move")
      for (const { vectorId } of [after, ...(before ? [before] : [])])
        names.set(vectorId, (await this.#deps.folder(vectorId))?.name ?? "")
    return {
      by,
      describeState: ({ vectorId, folder, name, tags }) => {
        if (row.action === "tag") return tags.join(", ")
        if (row.action !== "move") return name
        return joinPath(names.get(vectorId) ?? "", folder)
      },
    }
  }

  /** Stores a filing that is done. */
  async add(transaction: AnyTransaction, row: FilingRow, description: HistoryDescription): Promise<void> {
    await this.#store.insert(transaction, row)
    await recordDone(transaction, row, description)
  }

  /** If the file couldn't be moved, removes the filing. */
  afterMove(row: FilingRow, description: HistoryDescription): RecordArrival {
    return async (transaction, location, isRolledBack) => {
      if (isRolledBack) return this.#store.remove(transaction, row.id)
      const { name } = readLocations(row).became
      if (row.action === "rename" && location.name !== name) throw nameTaken(name)
      const after = placedAt(row, location)
      await this.#store.change(transaction, row.id, { status: "done", became: after, taken: null })
      await recordDone(transaction, { ...row, became: after }, description)
    }
  }

  /** If the file couldn't be moved back, the filing stays done. */
  afterUndo(row: FilingRow, by: string | null): RecordArrival {
    return async (transaction, location, isRolledBack) => {
      if (isRolledBack) {
        const after = placedAt(row, location)
        return this.#store.change(transaction, row.id, { status: "done", became: after, taken: null })
      }
      const { was: before } = readLocations(row)
      if (before !== null && location.name !== before.name) throw nameTaken(before.name)
      await this.markUndone(transaction, row, by)
    }
  }

  async markUndone(
    transaction: AnyTransaction,
    { id, fileId, besideId, action, chatId }: FilingRow,
    by: string | null,
  ): Promise<void> {
    await this.#store.change(transaction, id, { status: "undone", taken: null, undoneAt: timestamp() })
    await recordStep(transaction, {
      fileId: besideId ?? fileId,
      step: "undone",
      key: `undone:${id}`,
      detail: { action, chatId, filingId: id, by },
    })
  }
}

/** Returns the planned state of a file as JSON, with the name that the file got. */
const placedAt = (row: FilingRow, { name }: FilingLocation): string =>
  JSON.stringify({ ...readLocations(row).became, name })

async function recordDone(
  transaction: AnyTransaction,
  row: FilingRow,
  { by, describeState }: HistoryDescription,
): Promise<void> {
  const { was: before, became: after } = readLocations(row)
  const detail = {
    action: row.action,
    chatId: row.chatId,
    filingId: row.id,
    by,
    from: before && describeState(before),
    to: describeState(after),
  }
  for (const fileId of [row.fileId, ...(row.besideId === null ? [] : [row.besideId])])
    await recordStep(transaction, { fileId, step: "done", key: `done:${row.id}`, detail })
}
