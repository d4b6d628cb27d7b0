import { join } from "node:path"
import packageJson from "../../package.json" with { type: "json" }
import type { BoxConfig } from "./box-config.ts"
import { compose } from "./compose/compose.ts"
import {
  spawnNodeChild,
  type SpawnChild,
  describeDesktopSandboxes,
  describeForkedSandboxes,
} from "./core/children/child.ts"
import { areChangesMissing, forgetMissingChanges } from "./core/data-directory/known-database.ts"
import type { Relocation } from "./core/data-directory/marker.ts"
import { noteRunning, noteShared, type Shared } from "./core/data-directory/database-location.ts"
import { createBoxValues, type BoxValues } from "./core/database/box-values.ts"
import { restoreIdKey } from "./core/held-items.ts"
import { createEventBus } from "./core/event-bus.ts"
import type { Logger } from "./core/logging/logger.ts"
import { isLoopbackHost } from "./core/outbound/loopback.ts"
import type { Outbound } from "./core/outbound/outbound.ts"
import { openSecretFile, type Seal } from "./core/secret-store.ts"
import {
  createAuthenticate,
  sessionPort,
  type Authenticate,
  createDownloadTickets,
} from "./http/authenticate.ts"
import { createConnectedApps, openSockets } from "./http/sockets.ts"
import { forwardingToken, workerKey } from "./http/box-token.ts"
import { createGuard, type Guard } from "./http/guard.ts"
import { createApp, createTraffic, type Traffic } from "./http/http-server.ts"
import { createLiveConnections } from "./http/live-connections.ts"
import { servePage } from "./http/page.ts"
import type { WorkerEntrance } from "./http/workers/workers.ts"
import { describeApiAt } from "./start/describe-api.ts"
import {
  createEntrance,
  type Entrance,
  createNetworkAccess,
  type NetworkAccessDeps,
  addressName,
  requireAllowedHosts,
} from "./start/network-access.ts"
import { openData, openSecrets } from "./start/open-data.ts"
import { watchRevocations } from "./start/watch-revocations.ts"

export interface RunningBox extends AsyncDisposable {
  url: string
  dataDir: string
  logger: Logger
  /** A key with the local owner's full rights, only when this start created the data directory. */
  firstRunKey: string | null
  /**
   * Settles when the work that the start runs after the first requests is under way: followed directories, interrupted work, notifications.
   */
  allStarted: Promise<void>
  /** Returns a one-time token that signs the local owner in to a window of this program, for `…/#/signin?token=`. */
  signInToken(): Promise<string>
  /** Notifies owners that a newer version of the host program is available. */
  updateAvailable(version: string): Promise<void>
  /** Records connections that the host program makes, and refuses them while local-only is on. */
  outbound: Pick<Outbound, "refusal" | "noteForeign">
  /** Called when local-only is switched on or off. Returns a function that removes the listener. */
  onLocalOnly(listener: () => void): () => void
}

export interface StartOptions {
  /** How child processes are started. Uses Node's own processes unless the shell supplies another way. */
  spawn?: SpawnChild
  /** Directory of the built web page. */
  pageDir: string
  /** Writes logs only to files, not to stderr as well. */
  quiet?: boolean
  /** Encrypts stored tokens and keys. Without it, they are in a file that only its owner can read. */
  seal?: Seal | null
  /** Replaces the system's list of this computer's network addresses. */
  network?: Pick<NetworkAccessDeps, "addresses">
  /** How long a deletion can be undone, in ms. Default: one minute. */
  undoMs?: number
}

const secretsPath = (dataDir: string) => join(dataDir, "secrets.json")

type Parts = Awaited<ReturnType<typeof compose>>

/**
 * Starts the box from its configuration. If its database server fails while the box holds the database, it starts again when the server is
 * back, for at most ten minutes.
 * @throws AlreadyRunning, DatabaseUnusable, or the system's error when the port is taken.
 */
export async function startBox(config: BoxConfig, options: StartOptions): Promise<RunningBox> {
  let hasDatabase = false
  const start = () => startOnce(config, options, () => (hasDatabase = true))
  try {
    return await start()
  } catch (error) {
    if (!hasDatabase) throw error
    return (await import("./start/start-again.ts")).startAgain(error, start, {
      dataDir: config.dataDir,
      quiet: options.quiet ?? false,
    })
  }
}

async function startOnce(config: BoxConfig, options: StartOptions, onHeld: () => void): Promise<RunningBox> {
  const { dataDir } = config
  await using stack = new AsyncDisposableStack()
  const spawn = options.spawn ?? spawnNodeChild
  const data = await openData(dataDir, {
    config,
    version: packageJson.version,
    spawn,
    quiet: options.quiet ?? false,
    stack,
    onHeld,
  })
  const { logger, directoryWatch, place, database, settled, addressNote } = data
  const stopping = new AbortController()
  const bus = createEventBus()
  const secretFile = openSecretFile(secretsPath(dataDir), logger, options.seal, place.requireIntact)
  const live = createLiveConnections()
  const apps = createConnectedApps()
  const traffic = createTraffic()
  // Shutdown runs from the end of this function upwards: stop accepting connections, end streams and store their state, then wait for
  // responses in progress.
  const entrance = stack.use(
    createEntrance({ host: config.host, port: data.forwarding?.port ?? config.port }),
  )
  const network = stack.use(createNetworkAccess({ config, entrance, logger, ...options.network }))
  const workers = data.shared && stack.use(await openWorkers(data.shared, logger))
  const parts = stack.use(
    await compose({
      ...data,
      config,
      workers,
      bus,
      push: apps.send,
      live,
      apps,
      traffic,
      spawn,
      walls: options.spawn ? describeDesktopSandboxes : describeForkedSandboxes,
      secrets: await openSecrets(database.db, secretFile, config.secretsKey),
      version: packageJson.version,
      port: entrance.port,
      network,
      dataDirectoryId: settled.id,
      undoMs: options.undoMs ?? 60_000,
      stopping: stopping.signal,
    }),
  )
  const values = createBoxValues(database.db)
  if (config.databaseUrl !== null) await noteShared(values, data.shared)
  let allStarted: Promise<void> | undefined
  stack.defer(() => allStarted)
  const allowedHosts = () => [...config.allowedHosts, ...parts.settings.current.allowedHosts]
  requireAllowedHosts(config.host, allowedHosts())
  const owner = await parts.people.ensureOwner()
  const firstRunKey = owner && (await parts.keys.create(owner.id, { name: "First run" })).key

  data.forwarding?.close()
  const opened = await openEntrance(entrance, {
    config,
    parts,
    allowedHosts,
    openAddresses: network.hosts,
    pageDir: options.pageDir,
    traffic,
    forwardingToken: data.shared && forwardingToken(data.shared.secretsKey),
    logger,
  })
  stack.defer(() => entrance.close())
  stack.use(
    openSockets({ ...opened, live, apps, workers, logger, unreadCount: (id) => parts.unreadCount(id) }),
  )
  await network.set(parts.settings.current.networkAccess)
  const { keys, people } = parts
  stack.use(
    watchRevocations({
      directoryWatch: data.file && directoryWatch,
      database,
      keys,
      people,
      live,
      bus,
      logger,
    }),
  )

  stack.defer(() => database.shortenBusyTimeout())
  const url = `http://${addressName(config.host)}:${entrance.port()}`
  stack.defer(() => addressNote.remove(place))
  if (data.shared) await noteRunning(values, config.peerUrl ?? url)
  addressNote.write({ url, pid: process.pid }, logger)
  if (!isLoopbackHost(config.host)) {
    logger.warn({ host: config.host, allowedHosts: allowedHosts() }, "Other computers can reach this box")
  }
  const { on: localOnly } = parts.settings.localOnly()
  logger.info({ url, version: packageJson.version, localOnly }, "Ready")
  data.started()
  allStarted = afterReady(async () => {
    await parts.start()
    if (stopping.signal.aborted) return
    await notifyOfData(dataDir, { settled, parts, values, logger })
    logger.info({}, "All work has started")
  }, logger)
  stack.defer(() => stopping.abort())

  const resources = stack.move()
  return {
    url,
    dataDir,
    logger,
    firstRunKey,
    allStarted,
    signInToken: async () => parts.sessions.createAppSignInToken((await parts.people.localOwner()).id),
    updateAvailable: parts.updateAvailable,
    outbound: parts.outbound,
    onLocalOnly: parts.onLocalOnly,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Standby servers work for this server while they wait to take over. */
async function openWorkers({ secretsKey }: Shared, logger: Logger): Promise<WorkerEntrance> {
  const { createWorkers } = await import("./http/workers/workers.ts")
  return createWorkers({ key: workerKey(secretsKey), version: packageJson.version, logger })
}

/** Runs the work that no request depends on, after the caller has had a chance to report that the box is ready. */
async function afterReady(work: () => Promise<void>, logger: Logger): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
  try {
    await work()
  } catch (error) {
    logger.error({ err: error }, "The box couldn't begin all of its work")
  }
}

interface OpenEntranceDeps {
  config: BoxConfig
  parts: Parts
  allowedHosts(): string[]
  openAddresses(): string[]
  pageDir: string
  traffic: Traffic
  /** Token for standby servers that forward requests; null if there are none. */
  forwardingToken: string | null
  logger: Logger
}

/** Starts listening and sets the allowed hosts. The guard needs the port, which is known only after listening starts. */
async function openEntrance(
  entrance: Entrance,
  { config, parts, allowedHosts, openAddresses, pageDir, traffic, forwardingToken, logger }: OpenEntranceDeps,
) {
  let guard: Guard
  let authenticate: Authenticate
  const tickets = createDownloadTickets()
  const routes = parts.routes((request, carrier) => authenticate(request, carrier), tickets)
  const app = createApp(
    () => guard,
    logger,
    [routes, describeApiAt(packageJson.version), ...servePage(pageDir)],
    traffic,
    forwardingToken,
  )
  const server = await entrance.listen(app)
  const port = entrance.port()
  guard = createGuard({
    port,
    allowedHosts,
    openAddresses,
    allowedOrigins: () => [...config.allowedOrigins, ...parts.settings.current.allowedOrigins],
    publicUrl: config.publicUrl,
    forwardingToken,
  })
  authenticate = createAuthenticate({
    store: { callerOfKey: parts.keys.callerOfKey, findSession: parts.sessions.findSession },
    guard,
    tickets,
    port: sessionPort(config.publicUrl, port),
    forwardingToken,
  })
  return { server, guard, authenticate }
}

/** Notifies the owner of what happened to the data while the box wasn't running. */
async function notifyOfData(
  dataDir: string,
  {
    settled,
    parts,
    values,
    logger,
  }: { settled: Relocation; parts: Parts; values: BoxValues; logger: Logger },
): Promise<void> {
  if (areChangesMissing(dataDir)) {
    logger.error(
      {},
      "Some of what was stored last may be missing: another program removed a file of the database, or wrote into it. Look whether all is there; if not, restore a backup",
    )
    await parts.changesMissing()
    await forgetMissingChanges(dataDir)
  }
  const restoreId = await values.read(restoreIdKey)
  if (restoreId !== null) {
    await parts.backupRestored(restoreId)
    await values.remove(restoreIdKey)
  }
  if (settled.change === "moved") await parts.dataMoved({ ...settled, to: dataDir })
  if (settled.change !== "copied") settled.remember()
}
