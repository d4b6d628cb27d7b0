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
import { createEventBus, type EventBus } from "./core/event-bus.ts"
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
import { createConnectedApps, openSockets, type ConnectedApps } from "./http/sockets.ts"
import { forwardingToken, workerKey } from "./http/box-token.ts"
import { createGuard, type Guard } from "./http/guard.ts"
import { createApp, createTraffic, type Traffic } from "./http/http-server.ts"
import { createLiveConnections, type LiveConnections } from "./http/live-connections.ts"
import { servePage } from "./http/page.ts"
import type { WorkerEntrance } from "./http/workers/workers.ts"
import { describeApiAt } from "./start/describe-api.ts"
import {
  createEntrance,
  type Entrance,
  createNetworkAccess,
  type NetworkAccess,
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
    return (await import("./start/retry-start.ts")).retryStart(error, start, {
      dataDir: config.dataDir,
      quiet: options.quiet ?? false,
    })
  }
}

async function startOnce(config: BoxConfig, options: StartOptions, onHeld: () => void): Promise<RunningBox> {
  const { dataDir } = config
  await using stack = new AsyncDisposableStack()
  const spawn = options.spawn ?? spawnNodeChild
  const quiet = options.quiet ?? false
  const { version } = packageJson
  const data = await openData(dataDir, { config, version, spawn, quiet, stack, onHeld })
  const { logger, dataDirectory, database, settled, addressNote } = data
  const stopping = new AbortController()
  // Shutdown runs from the end of this function upwards: stop accepting connections, end streams and store their state, then wait for
  // responses in progress.
  const entrance = stack.use(
    createEntrance({ host: config.host, port: data.forwarding?.port ?? config.port }),
  )
  const network = stack.use(createNetworkAccess({ config, entrance, logger, ...options.network }))
  const workers = data.shared && stack.use(await openWorkers(data.shared, logger))
  const connections: Connections = {
    bus: createEventBus(),
    live: createLiveConnections(),
    apps: createConnectedApps(),
    traffic: createTraffic(),
    entrance,
    network,
    workers,
  }
  const source = { config, options, data, connections }
  const parts = stack.use(await composeParts(source, spawn, stopping.signal))
  const values = createBoxValues(database.db)
  if (config.databaseUrl !== null) await noteShared(values, data.shared)
  let allStarted: Promise<void> | undefined
  stack.defer(() => allStarted)
  const allowedHosts = () => [...config.allowedHosts, ...parts.settings.current.allowedHosts]
  requireAllowedHosts(config.host, allowedHosts())
  const owner = await parts.people.ensureOwner()
  const firstRunKey = owner && (await createFirstKey(parts.keys, owner.id))

  await acceptConnections(stack, source, parts, allowedHosts)

  stack.defer(() => database.shortenBusyTimeout())
  const url = `http://${addressName(config.host)}:${entrance.port()}`
  stack.defer(() => addressNote.remove(dataDirectory))
  if (data.shared) await noteRunning(values, config.peerUrl ?? url)
  addressNote.write({ url, pid: process.pid }, logger)
  if (!isLoopbackHost(config.host)) {
    logger.warn({ host: config.host, allowedHosts: allowedHosts() }, "Other computers can reach this server")
  }
  const { on: localOnly } = parts.settings.localOnly()
  logger.info({ url, version, localOnly }, "Ready")
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
    updateAvailable: (newVersion) => parts.systemSenders.updateAvailable(newVersion),
    outbound: parts.outbound,
    onLocalOnly: parts.onLocalOnly,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** How requests and apps reach the box, and how its parts reach each other. */
interface Connections {
  bus: EventBus
  live: LiveConnections
  apps: ConnectedApps
  traffic: Traffic
  entrance: Entrance
  network: NetworkAccess
  workers: WorkerEntrance | null
}

interface BoxSource {
  config: BoxConfig
  options: StartOptions
  data: Awaited<ReturnType<typeof openData>>
  connections: Connections
}

/** Creates all features on the opened data. */
async function composeParts(
  { config, options, data, connections }: BoxSource,
  spawn: SpawnChild,
  stopping: AbortSignal,
): Promise<Parts> {
  const { dataDir } = config
  const { logger, dataDirectory, database, settled } = data
  const { bus, live, apps, traffic, entrance, network, workers } = connections
  const secretFile = openSecretFile(secretsPath(dataDir), logger, options.seal, dataDirectory.requireIntact)
  return compose({
    ...data,
    config,
    bus,
    push: apps.send,
    live,
    apps,
    traffic,
    network,
    workers,
    spawn,
    walls: options.spawn ? describeDesktopSandboxes : describeForkedSandboxes,
    secrets: await openSecrets(database.db, secretFile, config.secretsKey),
    version: packageJson.version,
    port: entrance.port,
    dataDirectoryId: settled.id,
    undoMs: options.undoMs ?? 60_000,
    stopping,
  })
}

/** Starts to accept requests and sockets, and ends those whose rights are revoked. */
async function acceptConnections(
  stack: AsyncDisposableStack,
  source: BoxSource,
  parts: Parts,
  allowedHosts: () => string[],
): Promise<void> {
  const { data, connections } = source
  const { logger, directoryWatch, database } = data
  const { bus, live, apps, entrance, network, workers } = connections
  data.forwarding?.close()
  const opened = await openEntrance(source, parts, allowedHosts)
  stack.defer(() => entrance.close())
  const unreadCount = (id: string) => parts.notifications.unreadCount(id)
  stack.use(openSockets({ ...opened, live, apps, workers, logger, unreadCount }))
  await network.set(parts.settings.current.networkAccess)
  stack.use(
    watchRevocations({
      directoryWatch: data.file && directoryWatch,
      database,
      keys: parts.keys,
      people: parts.people,
      live,
      bus,
      logger,
    }),
  )
}

/** Returns the key with which scripts reach a new server. It is printed once. */
async function createFirstKey(keys: Parts["keys"], ownerId: string): Promise<string> {
  const { getFirstKeyName } = await import("./features/accounts/default-names.ts")
  return (await keys.create(ownerId, { name: getFirstKeyName() })).key
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
    logger.error({ err: error }, "The server couldn't start all of its work")
  }
}

/** Starts listening and sets the allowed hosts. The guard needs the port, which is known only after listening starts. */
async function openEntrance(
  { config, options: { pageDir }, data, connections }: BoxSource,
  parts: Parts,
  allowedHosts: () => string[],
) {
  const { traffic, entrance, network } = connections
  const token = data.shared && forwardingToken(data.shared.secretsKey)
  let guard: Guard
  let authenticate: Authenticate
  const tickets = createDownloadTickets()
  const routes = parts.routes((request, carrier) => authenticate(request, carrier), tickets)
  const app = createApp(
    () => guard,
    data.logger,
    [routes, describeApiAt(pageDir), ...servePage(pageDir)],
    traffic,
    token,
  )
  const server = await entrance.listen(app)
  const port = entrance.port()
  guard = createGuard({
    port,
    allowedHosts,
    openAddresses: network.hosts,
    allowedOrigins: () => [...config.allowedOrigins, ...parts.settings.current.allowedOrigins],
    publicUrl: config.publicUrl,
    forwardingToken: token,
  })
  authenticate = createAuthenticate({
    store: { callerOfKey: (key) => parts.keys.callerOfKey(key), findSession: parts.sessions.findSession },
    guard,
    tickets,
    port: sessionPort(config.publicUrl, port),
    forwardingToken: token,
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
      "The newest data may be missing, because another program removed a file of the database or wrote to it. Check your data, and restore a backup if anything is missing",
    )
    await parts.systemSenders.changesMissing()
    await forgetMissingChanges(dataDir)
  }
  const restoreId = await values.read(restoreIdKey)
  if (restoreId !== null) {
    await parts.systemSenders.backupRestored(restoreId)
    await values.remove(restoreIdKey)
  }
  if (settled.change === "moved") await parts.systemSenders.dataMoved({ ...settled, to: dataDir })
  if (settled.change !== "copied") settled.remember()
}
