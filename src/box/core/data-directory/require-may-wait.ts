import { setTimeout as wait } from "node:timers/promises"
import { DatabaseUnusable } from "../database/database.ts"
import { migrations } from "../database/migrations/registry.ts"
import { readServerState } from "../database/postgres/server-state.ts"
import { toDatabaseUnusable, isWithoutTables } from "../database/postgres/connection.ts"
import { requireKey } from "../secret-rows.ts"
import { sealedCheck } from "../secret-store.ts"
import type { Logger } from "../logging/logger.ts"
import { ObjectStoreUnavailable, ObjectStoreUnusable } from "../objects/object-store.ts"
import { requireOwnPrefix, type RowsOwner } from "../objects/owned-store.ts"
import type { S3Address } from "../objects/s3-address.ts"
import { openS3 } from "../objects/s3-store.ts"
import { createOutbound } from "../outbound/outbound.ts"
import {
  getKnown,
  getServerName,
  otherDatabaseError,
  sharedFiles,
  sharedPublicUrl,
  type Shared,
} from "./database-location.ts"

/** Maximum time in which a running box must report the location of its files at its first start. */
const firstStartMs = 10_000
const pollIntervalMs = 200

/**
 * Checks whether a box can take over from the running one later. Problems are reported now, while someone is watching, and not when the box
 * is needed.
 * @throws DatabaseUnusable with the change that is needed
 */
export async function requireStandbyPossible(
  dataDir: string,
  url: string,
  shared: Shared,
  { stores, logger }: { stores: readonly S3Address[]; logger: Pick<Logger, "warn"> },
): Promise<void> {
  const keys = [sharedFiles, sharedPublicUrl, sealedCheck]
  const { version, id, owner, values } = await waitForServerState(url, keys)
  if (version > migrations.length)
    throw new DatabaseUnusable(
      "The PostgreSQL database was written by a newer version of Casella. Update Casella, or use another database.",
    )
  const { server } = getKnown(dataDir)
  if (server !== null && server.id !== id) throw otherDatabaseError(dataDir, server.name, getServerName(url))
  const files = values.get(sharedFiles)
  if (files === undefined)
    throw new DatabaseUnusable(
      "The active server keeps its files, or its keys and tokens, in its own data directory, so no standby server can replace it. Start it with --files and CASELLA_SECRETS_KEY first. If it is starting for the first time, start this server again later.",
    )
  if (files !== shared.files)
    throw new DatabaseUnusable(
      `The active server has its files at ${files}. Start this server with the same --files.`,
    )
  const publicUrl = values.get(sharedPublicUrl) ?? shared.publicUrl ?? ""
  if (publicUrl !== (shared.publicUrl ?? ""))
    throw new DatabaseUnusable(
      publicUrl === ""
        ? `The active server has no public address. Start it with --public-url ${shared.publicUrl} first, or start this server without it.`
        : `The active server has the public address ${publicUrl}. Start this server with the same --public-url.`,
    )
  requireKey(values.get(sealedCheck) ?? "", shared.secretsKey)
  for (const store of stores) await requireStore(store, owner, logger)
}

/** Retries until the running box has reported the location of its files, because it may be starting for the first time. */
async function waitForServerState(url: string, keys: readonly string[]): ReturnType<typeof readServerState> {
  const until = performance.now() + firstStartMs
  for (;;) {
    const seen = await readServerState(url, keys).catch((error: unknown) => {
      if (isWithoutTables(error))
        return { version: 0, id: "", owner: { id: "", database: "" }, values: noValues }
      throw toDatabaseUnusable(error)
    })
    if (seen.values.has(sharedFiles) || performance.now() > until) return seen
    await wait(pollIntervalMs)
  }
}

const noValues: ReadonlyMap<string, string> = new Map()

/** A store that doesn't respond now may respond later; a store that refuses won't change. */
async function requireStore(
  location: S3Address,
  owner: RowsOwner,
  logger: Pick<Logger, "warn">,
): Promise<void> {
  await using outbound = createOutbound({
    localOnly: () => ({ on: false, decidedBy: "start", programs: true }), // the addresses were checked at the start
    record: () => undefined,
  })
  await using store = openS3(location, outbound)
  try {
    await requireOwnPrefix(store, owner)
  } catch (error) {
    if (error instanceof ObjectStoreUnusable) throw new DatabaseUnusable(error.advice, { cause: error })
    if (!(error instanceof ObjectStoreUnavailable)) throw error
    logger.warn(
      { err: error, store: location.address },
      "The object store doesn't respond, so it is unknown whether this server can use it",
    )
  }
}
