import { rm } from "node:fs/promises"
import { join } from "node:path"
import { tablesPath, temporaryPath } from "../../core/data-layout.ts"
import { onDemand } from "../../core/lazy.ts"
import type { Files } from "../../features/files/service.ts"
import type { Tables } from "../../features/tables/service.ts"
import type { Base } from "../compose-options.ts"

/** Tables in the spreadsheets of folders. */
export async function composeTables(
  { dataDir, known, spawn, bus, logger, stack }: Base,
  files: Pick<Files, "spreadsheets" | "getFolders">,
): Promise<Omit<Tables, typeof Symbol.asyncDispose>> {
  // another database may use the same revisions for other contents
  if (known.isOther) await rm(tablesPath(dataDir), { recursive: true, force: true })
  const maker = stack.use(onDemand(openMaker, async (made) => made[Symbol.asyncDispose]()))
  const asker = stack.use(onDemand(openAsker, async (made) => made[Symbol.asyncDispose]()))
  const made = stack.use(onDemand(openTables, async (tables) => tables[Symbol.asyncDispose]()))
  return {
    list: async (...asked) => (await made.get()).list(...asked),
    query: async (...asked) => (await made.get()).query(...asked),
    sweep: async () => (await made.get()).sweep(),
  }

  /** Opened with the first sweep, when the box is ready. */
  async function openTables() {
    const { createTableDatabases } = await import("../../features/tables/keeping/kept-tables.ts")
    const { createTables } = await import("../../features/tables/service.ts")
    return createTables({
      maker: maker.get,
      asker: asker.get,
      kept: createTableDatabases(tablesPath(dataDir)),
      spreadsheets: files.spreadsheets,
      getFolders: files.getFolders,
      bus,
      logger,
    })
  }

  async function openMaker() {
    const { createTableMaker } = await import("../../features/tables/making/table-maker.ts")
    return createTableMaker(spawn, join(temporaryPath(dataDir), "tables"))
  }

  async function openAsker() {
    const { createTableAsker } = await import("../../features/tables/asking/table-asker.ts")
    return createTableAsker(spawn)
  }
}
