import { realpathSync } from "node:fs"
import { join } from "node:path"
import { openAgeClock, type AgeClock } from "../core/age-clock.ts"
import type { BoxConfig } from "../box-config.ts"
import type { SpawnChild } from "../core/children/child.ts"
import { ageClockPath, databaseFile, knownDatabasePath } from "../core/data-layout.ts"
import { isLogDamaged } from "../core/data-directory/database-files.ts"
import { watchDirectory, watchDataDirectory } from "../core/data-directory/watch-data-directory.ts"
import { openKnownDatabase, noteMissingChanges } from "../core/data-directory/known-database.ts"
import { readMarker, writeMarker, detectRelocation, type Relocation } from "../core/data-directory/marker.ts"
import { requireRowsLocation, type Shared } from "../core/data-directory/database-location.ts"
import { isRestoring } from "../core/data-directory/claim.ts"
import { takeDataDirectory, wasInterrupted } from "../core/data-directory/instance-lock.ts"
import { freeReserveIfFull, openDiskReserve } from "../core/disk/disk-space.ts"
import { emptyTemporaryFiles } from "../core/files/temporary-files.ts"
import { openLogger, type Logger } from "../core/logging/logger.ts"
import { rescueDatabase } from "../features/storage/rescue-database.ts"
import { createAddressNote } from "./address-note.ts"
import { openFileRows, openServerRows } from "./open-rows.ts"

/** Another box uses the data directory. */
export class AlreadyRunning extends Error {
  override readonly name = "AlreadyRunning"
}

/** Smaller differences aren't logged, because clocks are corrected slightly all the time. */
const clockWarningMs = 600_000

export const databasePath = (dataDir: string) => join(dataDir, databaseFile)

export interface OpenDataOptions {
  config: Pick<
    BoxConfig,
    | "host"
    | "port"
    | "allowedHosts"
    | "peerUrl"
    | "publicUrl"
    | "databaseUrl"
    | "files"
    | "vectors"
    | "secretsKey"
  >
  version: string
  spawn: SpawnChild
  /** Writes logs only to files, not to stderr as well. */
  quiet: boolean
  /** Disposes of everything opened, in reverse order. */
  stack: AsyncDisposableStack
}

/**
 * Locks a data directory, finishes interrupted work in it, and opens the database and its monitors.
 * @throws AlreadyRunning, DatabaseUnusable
 */
export async function openData(dataDir: string, { config, version, spawn, quiet, stack }: OpenDataOptions) {
  const { databaseUrl } = config
  const lock = await takeDataDirectory(dataDir)
  if (!lock)
    throw new AlreadyRunning(`Another Casella box is running on ${dataDir}. Stop it, or use another --data.`)
  stack.use(lock)
  freeReserveIfFull(dataDir)
  const settled = detectRelocation(dataDir)
  emptyTemporaryFiles(dataDir)
  const logger = stack.use(await openLogger(dataDir, { quiet }))
  const directoryWatch = stack.use(watchDirectory(realpathSync(dataDir)))
  const place = stack.use(watchDataDirectory(realpathSync(dataDir), directoryWatch, logger))
  const reserve = stack.use(openDiskReserve(dataDir, logger, place.isInPlace))
  requireRowsLocation(dataDir, databaseUrl)
  const path = databasePath(dataDir)
  const isCutOff = wasInterrupted(dataDir)
  const isBrought = settled.change === "copied" || isRestoring(dataDir)
  const isHarmed = isCutOff && isLogDamaged(path)
  logLastRun(dataDir, settled, isCutOff, logger)
  const replaced = isRestoring(dataDir) ? await restore(dataDir, logger) : null
  if (replaced !== null) logger.info({ replaced }, "Restored a backup; the data from before is kept")
  const shared = sharedBy(config)
  const { database, file, isChecked, owner, forwarding, started } =
    databaseUrl === null
      ? await openFileRows(dataDir, path, {
          spawn,
          logger,
          isDoubtful: isCutOff || isBrought || replaced !== null,
        })
      : await openServerRows(dataDir, databaseUrl, { at: { ...config, version }, shared, spawn, logger })
  stack.use(database)
  const addressNote = createAddressNote(dataDir)
  const markDirectory = () => {
    if (readMarker(dataDir) === null)
      writeMarker(dataDir, {
        id: settled.id,
        place: realpathSync(dataDir),
        hasDatabase: true,
        server: null,
        moving: false,
      })
    addressNote.restore()
  }
  if (file !== null)
    stack.use(
      rescueDatabase({ dataDir: realpathSync(dataDir), database: file, place, logger, markDirectory }),
    )
  const clock = stack.use(openAgeClock(ageClockPath(dataDir), place.isInPlace))
  logClock(clock, logger)
  const known = stack.use(
    await openKnownDatabase({
      db: database.db,
      databasePath: file === null ? null : path,
      dataDirectoryId: settled.id,
      path: knownDatabasePath(dataDir),
      isCopy: settled.change === "copied",
      directoryWatch,
      times: clock,
      canWrite: place.isInPlace,
      logger,
    }),
  )
  // A killed box leaves the database that it knew, with its write-ahead log.
  if (isCutOff && !isBrought && (isHarmed || known.isOther)) await noteMissingChanges(dataDir)
  return {
    logger,
    directoryWatch,
    place,
    reserve,
    database,
    file,
    databaseChecked: isChecked,
    clock,
    known,
    settled,
    shared,
    forwarding,
    started,
    rowsOwner: owner ?? { id: settled.id, database: null },
    addressNote,
  }
}

/** If rows, files and secrets are stored elsewhere, a box on any data directory can take over from another. */
const sharedBy = ({
  databaseUrl,
  files,
  secretsKey,
  publicUrl,
}: Pick<BoxConfig, "databaseUrl" | "files" | "secretsKey" | "publicUrl">): Shared | null =>
  databaseUrl !== null && files !== null && secretsKey !== null
    ? {
        files: files.endpoint === null ? files.address : `${files.address} (${files.endpoint})`,
        secretsKey,
        publicUrl,
      }
    : null

async function restore(dataDir: string, logger: Logger): Promise<string | null> {
  const { applyStagedRestore } = await import("../features/storage/apply-restore.ts")
  return applyStagedRestore(dataDir, logger)
}

function logLastRun(dataDir: string, { change, from }: Relocation, isCutOff: boolean, logger: Logger): void {
  if (change !== null)
    logger.warn({ from, to: dataDir }, `The data directory was ${change} since the last start`)
  if (isCutOff)
    logger.warn(
      {},
      "The last run was cut off, by a kill, a crash or a power cut; what it had begun is ended or undone",
    )
}

function logClock(clock: AgeClock, logger: Logger): void {
  const behindMs = clock.latest() - Date.now()
  if (behindMs > clockWarningMs)
    logger.warn(
      { hours: behindMs / 3_600_000 },
      "The computer's clock is behind the last run's. Look whether it is right: new things may be listed as older ones",
    )
}
