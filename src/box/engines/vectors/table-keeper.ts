import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { ObjectsAway } from "../../core/objects/object-store.ts"
import { requireTemporaryFiles } from "../../core/files/temporary-files.ts"
import type { createIndexFiles } from "./index-files.ts"
import type { LanceTable } from "./lance/lance-table.ts"
import { isHarmless, saysDamaged } from "./lance/lance-errors.ts"
import { loadLanceTable } from "./lance/load-lance-table.ts"
import type { IndexLogger } from "./passage-record.ts"

export interface TableKeeperDeps {
  files: ReturnType<typeof createIndexFiles>
  dimensions: number | undefined
  /** Throws once the directory isn't the box's own any more: what is there now is no damaged table of its own. */
  requireKept(): void
  /** A damaged table was set aside: the new one is empty. */
  replaced(): void
  logger: IndexLogger
}

const repairLimit = 3

/** Opens the table when it is first used, and replaces it once its files turn out to be damaged. */
export function createTableKeeper({ files, dimensions, requireKept, replaced, logger }: TableKeeperDeps) {
  let opened: Promise<LanceTable> | undefined
  let repairs = 0
  let closed = false

  const openTable = async () => {
    process.env["LANCEDB_LOG"] ??= "error" // its warnings aren't JSON and concern nobody
    const { openLanceTable } = await loadLanceTable().catch((cause: unknown) => {
      throw new AppError("unavailable", sentence("search.engine_not_loaded"), { cause })
    })
    requireKept()
    await files.markUnclean()
    return openLanceTable({ place: await files.tables(), dimensions })
  }

  /** On an object store most errors are the store's, or the way's to it, some of them in disguise: nothing is thrown away for these. */
  const requireDamage = async (error: unknown): Promise<void> => {
    const { store } = files
    if (store && !(saysDamaged(error) && (await files.answers()))) throw new ObjectsAway(store.uri, error)
  }

  /** Sets the broken table aside and opens an empty one. */
  const replaceTable = async (error: unknown): Promise<LanceTable> => {
    if (error instanceof AppError) throw error
    if (isDiskFull(error)) throw diskFull(error)
    await requireDamage(error)
    requireKept()
    if (++repairs > repairLimit) {
      throw new AppError("internal", sentence("search.keeps_failing"), { cause: error })
    }
    logger.warn({ err: error }, "the search index is damaged: it is set aside and built anew")
    await files.setAside()
    const table = await openTable()
    replaced()
    return table
  }

  const keep = (opening: Promise<LanceTable>) => {
    opened = opening
    opening.catch(() => {
      if (opened === opening) opened = undefined // the next use tries again
    })
    return opening
  }

  const table = () => {
    if (closed) throw new AppError("unavailable", sentence("search.closed"))
    return opened ?? keep(openTable().catch(replaceTable))
  }

  return {
    /** Runs one operation; files that turn out to be damaged are replaced and the operation made on the new table. */
    async use<T>(operation: (table: LanceTable) => Promise<T>): Promise<T> {
      const promised = table()
      const current = await promised
      try {
        return await operation(current).catch((error: unknown) => {
          if (error instanceof AppError || isDiskFull(error)) throw error
          if (files.store && !saysDamaged(error)) throw error // LanceDB has asked the store again and again
          requireKept()
          requireTemporaryFiles() // without one it says nothing about the files
          return operation(current) // a commit may have replaced files under it
        })
      } catch (error) {
        if (error instanceof AppError) throw error
        if (isDiskFull(error)) throw diskFull(error)
        if (closed) throw new AppError("unavailable", sentence("search.closed"), { cause: error })
        if (opened !== promised) return operation(await table()) // another operation has replaced it
        await requireDamage(error)
        if (isHarmless(error)) {
          throw new AppError("internal", sentence("search.could_not_do"), { cause: error })
        }
        current.close()
        return operation(await keep(replaceTable(error)))
      }
    },

    /** Searches that run go on: what they need of the table so far stays until they end. */
    async reopen(): Promise<void> {
      const before = await table()
      await keep(openTable().catch(replaceTable))
      before.close()
    },

    /** Says what became of the table: it may never have been opened. */
    async close(): Promise<"closed" | "unopened" | "failed"> {
      closed = true
      const current = await opened?.catch(() => undefined)
      current?.close()
      if (!opened) return "unopened"
      return current ? "closed" : "failed"
    },
  }
}

export function isDiskFull(error: unknown): boolean {
  return (
    error instanceof Error && /ENOSPC|no space left|os error 28|os error 112|disk full/i.test(error.message)
  )
}

function diskFull(cause: unknown): AppError {
  return new AppError("disk_full", sentence("core.disk_full"), { cause })
}
