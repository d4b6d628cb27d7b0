import { rm } from "node:fs/promises"
import { join } from "node:path"
import { tablesPath, temporaryPath } from "../../core/data-layout.ts"
import { onDemand } from "../../core/on-demand.ts"
import type { Files } from "../../features/files/service.ts"
import { createKeptTables } from "../../features/tables/keeping/kept-tables.ts"
import { createTables, type Tables } from "../../features/tables/service.ts"
import type { Base } from "../compose-options.ts"

/** Tables in the spreadsheets of folders. */
export async function composeTables(
  { dataDir, known, spawn, bus, logger, stack }: Base,
  files: Pick<Files, "spreadsheets" | "foldersOf">,
): Promise<Tables> {
  // another database may tell of other contents by the same revisions
  if (known.isOther) await rm(tablesPath(dataDir), { recursive: true, force: true })
  const maker = stack.use(onDemand(openMaker, async (made) => made[Symbol.asyncDispose]()))
  const asker = stack.use(onDemand(openAsker, async (made) => made[Symbol.asyncDispose]()))
  return stack.use(
    createTables({
      maker: maker.get,
      asker: asker.get,
      kept: createKeptTables(tablesPath(dataDir)),
      spreadsheets: files.spreadsheets,
      foldersOf: files.foldersOf,
      bus,
      logger,
    }),
  )

  async function openMaker() {
    const { createTableMaker } = await import("../../features/tables/making/table-maker.ts")
    return createTableMaker(spawn, join(temporaryPath(dataDir), "tables"))
  }

  async function openAsker() {
    const { createTableAsker } = await import("../../features/tables/asking/table-asker.ts")
    return createTableAsker(spawn)
  }
}
