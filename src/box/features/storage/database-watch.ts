import type { DatabaseHealth } from "../../../shared/contract/storage.ts"
import { timestamp } from "../../core/ids.ts"
import type { TableFault } from "../../core/database/sqlite/integrity/check-database.ts"
import type { Logger } from "../../core/logging/logger.ts"

export interface DatabaseWatchDeps {
  findFaults(signal: AbortSignal): Promise<TableFault[]>
  /** Called each time damage is found, with the damaged tables. */
  damaged(tables: string[]): Promise<void>
  logger: Logger
}

/** Watches the database while the server runs. Reading it finds damage that occurs later on the disk. */
export interface DatabaseWatch extends AsyncDisposable {
  /** Starts watching. `checked` means that the start has already read the whole database. */
  start(checked: boolean): void
  health(): DatabaseHealth
}

const everyMs = 24 * 3_600_000

export function createDatabaseWatch({ findFaults, damaged, logger }: DatabaseWatchDeps): DatabaseWatch {
  const closing = new AbortController()
  let health: DatabaseHealth = { status: "unchecked", checkedAt: null, damagedTables: [] }
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()

  async function check(): Promise<void> {
    const faults = await findFaults(closing.signal)
    const damagedTables = [...new Set(faults.flatMap(({ table }) => table ?? []))]
    const status = faults.length === 0 ? "ok" : "damaged"
    health = { status, checkedAt: timestamp(), damagedTables }
    if (status === "ok") return
    logger.error({ faults }, 'The database is damaged. Stop the box and run "salvage DIRECTORY".')
    await damaged(damagedTables)
  }

  const run = () => {
    running = check().catch((error: unknown) => {
      if (!closing.signal.aborted) logger.error({ err: error }, "The database couldn't be checked")
    })
  }

  return {
    start(checked) {
      if (checked) health = { status: "ok", checkedAt: timestamp(), damagedTables: [] }
      else run()
      timer = setInterval(run, everyMs)
    },
    health: () => health,
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      closing.abort(new Error("The box is shutting down."))
      await running
    },
  }
}
