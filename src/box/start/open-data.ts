import { realpathSync } from "node:fs"
import { join } from "node:path"
import type { BoxConfig } from "../box-config.ts"
import { openAgeClock, type AgeClock } from "../core/age-clock.ts"
import type { SpawnChild } from "../core/children/child.ts"
import { isRestoring } from "../core/data-directory/claim.ts"
import { isLogDamaged } from "../core/data-directory/database-files.ts"
import { requireRowsLocation, type Shared } from "../core/data-directory/database-location.ts"
import {
  removeRunFile,
  wasInterrupted,
  writeRunFile,
  type RunFile,
  takeDataDirectory,
} from "../core/data-directory/instance-lock.ts"
import { openKnownDatabase, noteMissingChanges } from "../core/data-directory/known-database.ts"
import { readMarker, writeMarker, detectRelocation, type Relocation } from "../core/data-directory/marker.ts"
import {
  type DataDirectory,
  watchDirectory,
  watchDataDirectory,
} from "../core/data-directory/watch-data-directory.ts"
import { ageClockPath, databaseFile, knownDatabasePath } from "../core/data-layout.ts"
import { createBoxValues } from "../core/database/box-values.ts"
import { DatabaseUnusable, type DbOf } from "../core/database/database.ts"
import { freeReserveIfFull, openDiskReserve } from "../core/disk/disk-space.ts"
import { emptyTemporaryFiles } from "../core/files/temporary-files.ts"
import { type Logger, openLogger } from "../core/logging/logger.ts"
import { sealedCheck, type SecretStore } from "../core/secret-store.ts"
import { rescueDatabase } from "../features/storage/rescue-database.ts"
import { openFileRows, type Rows } from "./open-rows.ts"
import type { ServerRowsOptions } from "./open-server-rows.ts"

/** Keeps the running box's address in its data directory for commands. */
interface AddressNote {
  write(running: RunFile, logger: Logger): void
  /** Writes the address again if it was removed. */
  restore(): void
  remove(dataDirectory: DataDirectory): void
}

function createAddressNote(dataDir: string): AddressNote {
  let written: RunFile | undefined
  return {
    write(running, logger) {
      written = running
      try {
        writeRunFile(dataDir, running)
      } catch (error) {
        logger.warn({ err: error }, "Commands can't find this server, because its address couldn't be stored")
      }
    },
    restore() {
      if (written && !wasInterrupted(dataDir)) writeRunFile(dataDir, written)
    },
    remove(dataDirectory) {
      written = undefined
      if (dataDirectory.isInPlace()) removeRunFile(dataDir) // another box may have started in its place
    },
  }
}

/**
 * Opens the store for tokens and keys of other services: the data directory's file, or the database, encrypted, if a secrets key is given.
 * @throws DatabaseUnusable if the key is wrong or missing
 */
export async function openSecrets(
  db: DbOf<"core">,
  file: SecretStore,
  key: Buffer | null,
): Promise<SecretStore> {
  const values = createBoxValues(db)
  if (key !== null) return (await import("../core/secret-rows.ts")).openSecretRows(values, key, file)
  if ((await values.read(sealedCheck)) === null) return file
  throw new DatabaseUnusable(
    "The keys and tokens in this database are encrypted. Set CASELLA_SECRETS_KEY to the key that was used. If it is lost, see docs/how-to/add-a-standby-server.md.",
  )
}

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
  /** Called when this box holds a database on a server. */
  onHeld(): void
}

/**
 * Locks a data directory, finishes interrupted work in it, and opens the database and its monitors.
 * @throws AlreadyRunning, DatabaseUnusable
 */
export async function openData(
  dataDir: string,
  { config, version, spawn, quiet, stack, onHeld }: OpenDataOptions,
) {
  const { databaseUrl } = config
  const lock = await takeDataDirectory(dataDir)
  if (!lock)
    throw new AlreadyRunning(
      `Another Casella server is running on ${dataDir}. Stop it, or use another --data.`,
    )
  stack.use(lock)
  freeReserveIfFull(dataDir)
  const settled = detectRelocation(dataDir)
  emptyTemporaryFiles(dataDir)
  const logger = stack.use(await openLogger(dataDir, { quiet }))
  const directoryWatch = stack.use(watchDirectory(realpathSync(dataDir)))
  const dataDirectory = stack.use(watchDataDirectory(realpathSync(dataDir), directoryWatch, logger))
  const reserve = stack.use(openDiskReserve(dataDir, logger, dataDirectory.isInPlace))
  requireRowsLocation(dataDir, databaseUrl)
  const path = databasePath(dataDir)
  const isCutOff = wasInterrupted(dataDir)
  const isBrought = settled.change === "copied" || isRestoring(dataDir)
  const isHarmed = isCutOff && isLogDamaged(path)
  logLastRun(dataDir, settled, isCutOff, logger)
  const replaced = isRestoring(dataDir) ? await restore(dataDir, logger) : null
  if (replaced !== null) logger.info({ replaced }, "Restored a backup; the data from before is kept")
  const shared = sharedBy(config)
  const isDoubtful = isCutOff || isBrought || replaced !== null
  const { database, file, isChecked, owner, forwarding, started } =
    databaseUrl === null
      ? await openFileRows(dataDir, path, { spawn, logger, isDoubtful })
      : await openServerRows(dataDir, databaseUrl, {
          at: { ...config, version },
          shared,
          spawn,
          logger,
          onHeld,
        })
  stack.use(database)
  const addressNote = createAddressNote(dataDir)
  if (file !== null)
    stack.use(
      rescueDatabase({
        dataDir: realpathSync(dataDir),
        database: file,
        dataDirectory,
        logger,
        markDirectory() {
          restoreMarker(dataDir, settled.id)
          addressNote.restore()
        },
      }),
    )
  const clock = stack.use(openAgeClock(ageClockPath(dataDir), dataDirectory.isInPlace))
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
      canWrite: dataDirectory.isInPlace,
      logger,
    }),
  )
  // A killed box leaves the database that it knew, with its write-ahead log.
  if (isCutOff && !isBrought && (isHarmed || known.isNew)) await noteMissingChanges(dataDir)
  known.notice()
  return {
    logger,
    directoryWatch,
    dataDirectory,
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

/** Opens rows on a database server. A disk that filled while the box was on standby gets its reserve. */
async function openServerRows(
  dataDir: string,
  databaseUrl: string,
  options: ServerRowsOptions,
): Promise<Rows> {
  const rows = await import("./open-server-rows.ts")
  return rows.openServerRows(dataDir, databaseUrl, {
    ...options,
    onHeld() {
      freeReserveIfFull(dataDir)
      options.onHeld()
    },
  })
}

/** Writes the data directory's marker again if it was removed. */
function restoreMarker(dataDir: string, id: string): void {
  if (readMarker(dataDir) !== null) return
  writeMarker(dataDir, { id, place: realpathSync(dataDir), hasDatabase: true, server: null, moving: false })
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
      "The last run was interrupted by a kill, a crash or a power cut. Work that it had started was ended or undone",
    )
}

function logClock(clock: AgeClock, logger: Logger): void {
  const behindMs = clock.latest() - Date.now()
  if (behindMs > clockWarningMs)
    logger.warn(
      { hours: behindMs / 3_600_000 },
      "The computer's clock is behind the last run. Check it: new items may be listed as older ones",
    )
}
