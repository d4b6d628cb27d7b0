import { openSqlite } from "../../../core/database/sqlite/open-sqlite.ts"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { createBoxValues } from "../../../core/database/box-values.ts"
import { silentLogger } from "../../../core/logging/logger.ts"
import { onDemand } from "../../../core/lazy.ts"
import { startPlannedBackups } from "../service.ts"
import { createPlannedBackups } from "./planned-backups.ts"

// Catches starts that load code needed only with a plan, and a plan that is forgotten because nothing was loaded for it.
it("loads the code for planned backups only if there is a plan", async () => {
  const directory = await mkdtemp(join(tmpdir(), "casella-begin-"))
  const database = openSqlite(join(directory, "box.sqlite"))
  try {
    const values = createBoxValues(database.db)
    const start = async () => {
      let loads = 0
      await using planned = onDemand(
        async () => {
          loads++
          const write = () => Promise.resolve()
          return createPlannedBackups({
            values,
            dataDirectoryId: "data",
            write,
            failed: write,
            logger: silentLogger,
          })
        },
        async (made) => made[Symbol.asyncDispose](),
      )
      await startPlannedBackups(values, "data", planned)
      const before = loads
      await (await planned.get()).plan({ every: "day", weekday: 1, at: null, directory, keep: 2 })
      return before
    }
    expect(await start()).toBe(0)
    expect(await start()).toBe(1)
  } finally {
    await database[Symbol.asyncDispose]()
    await rm(directory, { recursive: true, force: true })
  }
})
