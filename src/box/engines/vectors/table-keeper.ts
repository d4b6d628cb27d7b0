import { createRequire } from "node:module"
import { setImmediate as turn } from "node:timers/promises"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { requireTemporaryFiles } from "../../core/files/temporary-files.ts"
import { ObjectStoreUnavailable } from "../../core/objects/object-store.ts"
import type { IndexFiles } from "./index-files.ts"
import { isHarmless, isDamageError } from "./lance/lance-errors.ts"
import type { LanceTable } from "./lance/lance-table.ts"
import type { IndexLogger } from "./passage-record.ts"

/** In dependency order. The Arrow variant is the one that LanceDB itself loads. */
const parts = ["apache-arrow/vector", "apache-arrow", "@lancedb/lancedb"]

/** Loads LanceDB in steps, so that other work can run in between. Loading takes 70 ms of processor time. */
async function loadLanceTable() {
  const load = createRequire(import.meta.url)
  for (const part of parts) {
    await turn()
    load(part)
  }
  return import("./lance/lance-table.ts")
}

export interface TableOpenerDeps {
  files: IndexFiles
  dimensions: number | undefined
  /** Throws if the directory no longer belongs to the box, because its content is then not a damaged table of this box. */
  requireIntact(): void
  /** Whether there must be a table, because the last run closed one. */
  hasTable: boolean
  /** Called when a damaged table was set aside, or someone deleted it; the new one is empty. */
  replaced(): void
  logger: IndexLogger
}

const repairLimit = 3

/** Opens the table on first use, and replaces it if its files are damaged. */
export function createTableOpener({
  files,
  dimensions,
  requireIntact,
  hasTable,
  replaced,
  logger,
}: TableOpenerDeps) {
  let opened: Promise<LanceTable> | undefined
  let repairs = 0
  let closed = false

  const openTable = async () => {
    process.env["LANCEDB_LOG"] ??= "error" // its warnings aren't JSON and aren't useful
    const { openLanceTable } = await loadLanceTable().catch((cause: unknown) => {
      throw new AppError("unavailable", sentence("search.engine_not_loaded"), { cause })
    })
    requireIntact()
    await files.markUnclean()
    return openLanceTable({ location: await files.tables(), dimensions })
  }

  /**
   * On an object store, most errors come from the store or the connection to it, and some look different. Nothing is discarded because of
   * them.
   */
  const requireDamage = async (error: unknown): Promise<void> => {
    const { store } = files
    if (store && !(isDamageError(error) && (await files.answers())))
      throw new ObjectStoreUnavailable(store.uri, error)
  }

  /** Sets the broken table aside and opens an empty one. */
  const replaceTable = async (error: unknown): Promise<LanceTable> => {
    if (error instanceof AppError) throw error
    if (isDiskFull(error)) throw diskFull(error)
    await requireDamage(error)
    requireIntact()
    if (++repairs > repairLimit) {
      throw new AppError("internal", sentence("search.keeps_failing"), { cause: error })
    }
    logger.warn({ err: error }, "The search index is damaged: it is set aside and rebuilt")
    await files.setAside()
    const table = await openTable()
    replaced()
    return table
  }

  const openFirst = async (): Promise<LanceTable> => {
    const table = await openTable()
    if (hasTable && table.isNew) {
      logger.warn({}, "The tables of the search index are gone: it is rebuilt")
      replaced()
    }
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
    return opened ?? keep(openFirst().catch(replaceTable))
  }

  return {
    /** Runs one operation. If files are damaged, the table is replaced and the operation runs on the new one. */
    async use<T>(operation: (table: LanceTable) => Promise<T>): Promise<T> {
      const promised = table()
      const current = await promised
      try {
        return await operation(current).catch((error: unknown) => {
          if (error instanceof AppError || isDiskFull(error)) throw error
          if (files.store && !isDamageError(error)) throw error // LanceDB has already retried the store several times
          requireIntact()
          requireTemporaryFiles() // without a temporary directory, the error says nothing about the files
          return operation(current) // a commit may have replaced files during the operation
        })
      } catch (error) {
        if (error instanceof AppError) throw error
        if (isDiskFull(error)) throw diskFull(error)
        if (closed) throw new AppError("unavailable", sentence("search.closed"), { cause: error })
        if (opened !== promised) return operation(await table()) // another operation has already replaced the table
        await requireDamage(error)
        if (isHarmless(error)) {
          throw new AppError("internal", sentence("search.could_not_do"), { cause: error })
        }
        current.close()
        return operation(await keep(replaceTable(error)))
      }
    },

    /** Running searches continue: the files of the old table that they need stay until they end. */
    async reopen(): Promise<void> {
      const before = await table()
      await keep(openTable().catch(replaceTable))
      before.close()
    },

    /** Returns the result of closing the table, which may never have been opened. */
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
