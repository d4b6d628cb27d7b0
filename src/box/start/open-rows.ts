import { existsSync, statSync } from "node:fs"
import type { SpawnChild } from "../core/children/child.ts"
import { runningAt, type Shared } from "../core/data-directory/database-location.ts"
import type { OtherBoxes } from "../core/database/postgres/hold-database.ts"
import { addressName, requireAllowedHosts } from "./network-access.ts"
import type { Forwarding, ForwardingDeps } from "./forwarding.ts"
import { noteDatabase } from "../core/data-directory/marker.ts"
import { createBoxValues } from "../core/database/box-values.ts"
import type { OpenDatabase } from "../core/database/database.ts"
import type { RowsOwner } from "../core/objects/owned-store.ts"
import type { S3Address } from "../core/objects/s3-address.ts"
import { checkIntegrity, openSqlite, type SqliteDatabaseFile } from "../core/database/sqlite/open-sqlite.ts"
import { convertDatabase } from "../core/database/sqlite/space/convert-database.ts"
import type { Logger } from "../core/logging/logger.ts"
import { optimiseForRunning } from "../core/process/lean-process.ts"

/**
 * Databases up to this size are checked in full at startup. The check takes about 0.1 s after an interrupted run or an imported database,
 * and a few ms after a clean shutdown. Larger databases are checked while the box runs.
 */
const largestCheckedBytes = { doubtful: 64 * 2 ** 20, wellEnded: 4 * 2 ** 20 }

export interface Rows {
  database: OpenDatabase
  /** The same database if rows are in a file, which the box maintains. Null if rows are on a database server. */
  file: SqliteDatabaseFile | null
  /** The whole database was read and is intact. */
  isChecked: boolean
  /** Identifies the rows to an object store. Null if they are in a file created in this data directory. */
  owner: RowsOwner | null
  /** Answers for the box until it is ready, if it had to wait as a standby server. */
  forwarding: Forwarding | null
  /** Call when startup is complete. After that, a write that waits too long for other programs fails. */
  started(): void
}

interface FileRowsOptions {
  spawn: SpawnChild
  logger: Logger
  /** The database file was replaced, or the last run didn't shut down cleanly. */
  isDoubtful: boolean
}

/** Opens the database file of a data directory. @throws DatabaseUnusable */
export async function openFileRows(
  dataDir: string,
  path: string,
  { spawn, logger, isDoubtful }: FileRowsOptions,
): Promise<Rows> {
  const largestChecked = largestCheckedBytes[isDoubtful ? "doubtful" : "wellEnded"]
  const isChecked = !existsSync(path) || statSync(path).size <= largestChecked
  if (isChecked) checkIntegrity(path)
  await convertDatabase(path, spawn, logger)
  const file = openSqlite(path)
  noteDatabase(dataDir)
  return { database: file, file, isChecked, owner: null, forwarding: null, started: () => undefined }
}

interface ServerRowsOptions {
  /** Listening address while the box is a standby server. */
  at: {
    host: string
    port: number
    allowedHosts: readonly string[]
    version: string
    peerUrl: string | null
    publicUrl: string | null
    files: S3Address | null
    vectors: S3Address | null
  }
  /** If set, the box waits as a standby server while another is active, and takes over from it. */
  shared: Shared | null
  spawn: SpawnChild
  logger: Logger
}

/**
 * Opens the database on a server and links the data directory to it.
 * @throws DatabaseUnusable
 */
export async function openServerRows(
  dataDir: string,
  url: string,
  { at, shared, spawn, logger }: ServerRowsOptions,
): Promise<Rows> {
  const [{ openPostgres }, { acquireDatabase }, { noteServer }, { instanceOf, getOwner }] = await Promise.all(
    [
      import("../core/database/postgres/open-postgres.ts"),
      import("../core/database/postgres/hold-database.ts"),
      import("../core/data-directory/database-location.ts"),
      import("../core/database/postgres/server-database.ts"),
    ],
  )
  await using stack = new AsyncDisposableStack()
  let forwarding: Forwarding | null = null
  await using work = new AsyncDisposableStack()
  let isOutdated = false
  const boxes: OtherBoxes | null = shared && {
    async wait(contact) {
      optimiseForRunning() // it may forward requests for weeks
      const [{ createValueReader }, { startStandbyWorkers }, { workerKey }] = await Promise.all([
        import("../core/database/postgres/server-state.ts"),
        import("./work-for-running.ts"),
        import("../http/box-token.ts"),
      ])
      const values = stack.use(createValueReader(url, runningAt))
      const running = async () =>
        (contact.isCutOff() ? await findRunning(contact.others(), shared, at) : null) ?? (await values.read())
      forwarding = stack.use(
        await passOn(dataDir, url, shared, { ...at, running, isOutdated: () => isOutdated, logger }),
      )
      const key = workerKey(shared.secretsKey)
      work.use(startStandbyWorkers({ running, key, version: at.version, dataDir, spawn, logger }))
      const here = `http://${addressName(at.host)}:${forwarding.port}`
      logger.info(
        { url: here },
        "Another box runs on the database. This one takes its place when it ends, and passes on to it what it is asked",
      )
      return at.peerUrl ?? here
    },
    onOutdated() {
      isOutdated = true
      logger.warn(
        {},
        "A newer Casella runs on the database and has changed it. This box passes on what it is asked, and takes no place any more: update it",
      )
    },
    onLapsed() {
      logger.warn({}, "The box that runs hasn't used the database for seconds. This one takes its place")
    },
    findRunning: (addresses) => findRunning(addresses, shared, at),
  }
  const hold = stack.use(await acquireDatabase(url, boxes))
  await work.disposeAsync()
  const start = {
    isOver: false,
    waits: () =>
      logger.warn(
        {},
        "Another program is writing in the database, or holds its lock. The start waits for it",
      ),
    onReconnect: () =>
      logger.warn({}, "A connection to the database went silent during the start. The start opens another"),
  }
  const database = stack.use(await openPostgres(url, undefined, { held: hold, start }))
  await noteServer(dataDir, url, database.db, shared !== null)
  await hold.claim()
  const id = await getOwner(database.db)
  const owner = id === null ? null : { id, database: await instanceOf(database.db) }
  // Another standby server may already be listening at the previous server's address.
  if (shared) await createBoxValues(database.db).remove(runningAt)
  const held = stack.move()
  return {
    database: { ...database, [Symbol.asyncDispose]: () => held.disposeAsync() },
    file: null,
    isChecked: true,
    owner,
    forwarding,
    started: () => (start.isOver = true),
  }
}

/** Returns the first of these addresses at which a server with the same secrets key is active. */
async function findRunning(
  addresses: readonly string[],
  { secretsKey }: Shared,
  { publicUrl }: Pick<ServerRowsOptions["at"], "publicUrl">,
): Promise<string | null> {
  const [{ findOtherRunningBox }, { forwardingToken }] = await Promise.all([
    import("./forwarding.ts"),
    import("../http/box-token.ts"),
  ])
  return findOtherRunningBox(addresses, { token: forwardingToken(secretsKey), publicUrl })
}

/** Listens and forwards to the active server. @throws DatabaseUnusable if this server couldn't take over */
async function passOn(
  dataDir: string,
  url: string,
  shared: Shared,
  at: ServerRowsOptions["at"] & Pick<ForwardingDeps, "running" | "isOutdated"> & { logger: Logger },
): Promise<Forwarding> {
  const [{ requireStandbyPossible }, { startForwarding }, { forwardingToken }] = await Promise.all([
    import("../core/data-directory/require-may-wait.ts"),
    import("./forwarding.ts"),
    import("../http/box-token.ts"),
  ])
  requireAllowedHosts(at.host, at.allowedHosts)
  const stores = [at.files, at.vectors].filter((place) => place !== null)
  await requireStandbyPossible(dataDir, url, shared, { stores, logger: at.logger })
  return startForwarding({ ...at, token: forwardingToken(shared.secretsKey) })
}
