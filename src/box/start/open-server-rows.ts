import type { SpawnChild } from "../core/children/child.ts"
import { noteServer, runningAt, type Shared } from "../core/data-directory/database-location.ts"
import { createBoxValues } from "../core/database/box-values.ts"
import { toDatabaseUnusable } from "../core/database/postgres/connection.ts"
import { acquireDatabase, endReplacedBox, type OtherBoxes } from "../core/database/postgres/hold-database.ts"
import { openPostgres } from "../core/database/postgres/open-postgres.ts"
import { getOwner, instanceOf } from "../core/database/postgres/server-database.ts"
import type { Logger } from "../core/logging/logger.ts"
import type { S3Address } from "../core/objects/s3-address.ts"
import { optimiseForRunning } from "../core/process/memory-flags.ts"
import type { Forwarding, ForwardingDeps } from "./forwarding.ts"
import { addressName, requireAllowedHosts } from "./network-access.ts"
import type { Rows } from "./open-rows.ts"

export interface ServerRowsOptions {
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
  /** Called when this box holds the database: from now on, a failure of the server is a reason to start again later. */
  onHeld(): void
}

/**
 * Opens the database on a server and links the data directory to it.
 * @throws DatabaseUnusable
 */
export async function openServerRows(
  dataDir: string,
  url: string,
  { at, shared, spawn, logger, onHeld }: ServerRowsOptions,
): Promise<Rows> {
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
        "Another server is active on the database. This server is on standby and forwards requests to it",
      )
      return at.peerUrl ?? here
    },
    onOutdated() {
      isOutdated = true
      logger.warn(
        {},
        "A newer version of Casella is active on the database. This server forwards requests to it and can't become active: update it",
      )
    },
    onLapsed() {
      logger.warn({}, "The active server hasn't used the database for seconds. This server takes over")
    },
    findRunning: (addresses) => findRunning(addresses, shared, at),
  }
  let isLost = false
  const start = {
    isOver: false,
    waits: () =>
      logger.warn({}, "The start waits for another program that is writing to the database or has locked it"),
    onReconnect: () =>
      logger.warn({}, "A database connection stopped responding during the start. Another one is opened"),
  }
  // Until the start is over, the next statement fails and the box starts again, as a standby server if it can be one.
  const onLost = () => (start.isOver ? endReplacedBox() : void (isLost = true))
  const hold = stack.use(await acquireDatabase(url, boxes, onLost))
  onHeld()
  await work.disposeAsync()
  const database = stack.use(await openPostgres(url, undefined, { held: hold, start }))
  await noteServer(dataDir, url, database.db, shared !== null)
  await hold.claim().catch((error: unknown) => {
    throw toDatabaseUnusable(error)
  })
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
    started() {
      start.isOver = true
      if (isLost) endReplacedBox()
    },
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
  const stores = [at.files, at.vectors].filter((location) => location !== null)
  await requireStandbyPossible(dataDir, url, shared, { stores, logger: at.logger })
  return startForwarding({ ...at, token: forwardingToken(shared.secretsKey) })
}
