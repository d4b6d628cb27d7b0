import { rm } from "node:fs/promises"
import { join } from "node:path"
import { tablesPath, temporaryPath } from "../core/data-layout.ts"
import { lazy } from "../core/lazy.ts"
import type { Files } from "../features/files/service.ts"
import { createKeptTables } from "../features/tables/keeping/kept-tables.ts"
import { createTables, type Tables } from "../features/tables/service.ts"
import type { Base } from "./compose-options.ts"

/** Tables in the spreadsheets of folders. */
export async function composeTables(
  { dataDir, known, spawn, bus, logger, stack }: Base,
  files: Pick<Files, "spreadsheets" | "foldersOf">,
): Promise<Tables> {
  // another database may tell of other contents by the same revisions
  if (known.isOther) await rm(tablesPath(dataDir), { recursive: true, force: true })
  return stack.use(
    createTables({
      maker: lazy(async () => {
        const { createTableMaker } = await import("../features/tables/making/table-maker.ts")
        return stack.use(createTableMaker(spawn, join(temporaryPath(dataDir), "tables")))
      }),
      asker: lazy(async () => {
        const { createTableAsker } = await import("../features/tables/asking/table-asker.ts")
        return stack.use(createTableAsker(spawn))
      }),
      kept: createKeptTables(tablesPath(dataDir)),
      spreadsheets: files.spreadsheets,
      foldersOf: files.foldersOf,
      bus,
      logger,
    }),
  )
}
