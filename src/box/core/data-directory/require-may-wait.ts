import { DatabaseUnusable } from "../database/database.ts"
import { migrations } from "../database/migrations/registry.ts"
import { lookAtServer } from "../database/postgres/look-at-server.ts"
import { asUnusable } from "../database/postgres/postgres-errors.ts"
import { requireKey } from "../secret-rows.ts"
import { sealedCheck } from "../secret-store.ts"
import { knownOf, nameOfServer, otherRows } from "./place-of-rows.ts"
import { sharedFiles, type Shared } from "./shared-rows.ts"

/**
 * Whether a box may wait to take the place of the one that runs: said while somebody looks, and not when it is needed.
 * @throws DatabaseUnusable with what to change
 */
export async function requireMayWait(dataDir: string, url: string, shared: Shared): Promise<void> {
  const { version, id, values } = await lookAtServer(url, [sharedFiles, sealedCheck]).catch(
    (error: unknown) => {
      throw asUnusable(error)
    },
  )
  if (version > migrations.length)
    throw new DatabaseUnusable(
      "The PostgreSQL database was written by a newer Casella. Update Casella, or name another database.",
    )
  const { server } = knownOf(dataDir)
  if (server !== null && server.id !== id) throw otherRows(dataDir, server.name, nameOfServer(url))
  const files = values.get(sharedFiles)
  if (files === undefined)
    throw new DatabaseUnusable(
      "The box that runs on the PostgreSQL database has its files, or its keys and tokens, in its own data directory, so none can take its place. Start it with --files and CASELLA_SECRETS_KEY first.",
    )
  if (files !== shared.files)
    throw new DatabaseUnusable(
      `The box that runs on the PostgreSQL database has its files at ${files}. Name that with --files.`,
    )
  requireKey(values.get(sealedCheck) ?? "", shared.secretsKey)
}
