import { once } from "node:events"
import { existsSync, realpathSync, statSync } from "node:fs"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import express, { type Router } from "express"
import packageJson from "../../package.json" with { type: "json" }
import { api } from "../shared/contract/api.ts"
import type { BoxConfig } from "./box-config.ts"
import { compose } from "./compose/compose.ts"
import { desktopWalls, forkedWalls } from "./core/children/walls/wall-report.ts"
import { spawnNodeChild, type SpawnChild } from "./core/children/child.ts"
import { checkIntegrity, openDatabase } from "./core/database/database.ts"
import { openAgeClock } from "./core/age-clock.ts"
import { ageClockPath, databaseFile, knownDatabasePath } from "./core/data-layout.ts"
import { freeReserveIfFull, openDiskReserve } from "./core/disk/disk-reserve.ts"
import { createEventBus } from "./core/event-bus.ts"
import { isLogHarmed } from "./core/data-directory/database-files.ts"
import { isRestoring } from "./core/data-directory/own-database.ts"
import { knowDatabase } from "./core/data-directory/known-database.ts"
import {
  areChangesMissing,
  forgetMissingChanges,
  noteMissingChanges,
} from "./core/data-directory/missing-changes.ts"
import { noteDatabase, readMarker, writeMarker } from "./core/data-directory/marker.ts"
import {
  removeRunFile,
  takeDataDirectory,
  wasCutOff,
  writeRunFile,
  type RunFile,
} from "./core/data-directory/run-file.ts"
import { settleIn } from "./core/data-directory/settle-in.ts"
import { watchPlace } from "./core/data-directory/watch-place.ts"
import { isLoopbackHost } from "./core/outbound/loopback.ts"
import type { Outbound } from "./core/outbound/outbound.ts"
import { openLogger, type Logger } from "./core/logging/logger.ts"
import { openSecretFile, type Seal } from "./core/secret-store.ts"
import { convertDatabase } from "./core/database/space/convert-database.ts"
import { emptyTemporaryFiles } from "./core/files/temporary-files.ts"
import { rescueDatabase } from "./features/storage/rescue-database.ts"
import { applyStagedRestore } from "./features/storage/staged-restore.ts"
import { createAuthenticate } from "./http/authenticate.ts"
import { createConnectedApps } from "./http/connected-apps.ts"
import { createDownloadTickets } from "./http/download-tickets.ts"
import { createGuard, type Guard } from "./http/guard.ts"
import { createApp, createHttpServer } from "./http/http-server.ts"
import { createLiveConnections } from "./http/live-connections.ts"
import { servePage } from "./http/page.ts"
import { openSockets } from "./http/sockets.ts"
import { TerminalError } from "./core/terminal-error.ts"

export interface RunningBox extends AsyncDisposable {
  url: string
  dataDir: string
  logger: Logger
  /** Only when this start created the data directory: a key with full rights of the local owner. */
  firstRunKey: string | null
  /** A one-time token that signs the local owner in to a window of this program, for `…/#/signin?token=`. */
  signInToken(): Promise<string>
  /** Tells owners that there is a newer version of the program that hosts the box. */
  updateAvailable(version: string): Promise<void>
  /** What the program that hosts the box connects to is written down here, and refused with local-only on. */
  outbound: Pick<Outbound, "refusal" | "noteForeign">
  /** Called when local-only was switched; returns how to stop listening. */
  onLocalOnly(listener: () => void): () => void
}

export interface StartOptions {
  /** How children are started; a process of Node's unless the shell has its own way. */
  spawn?: SpawnChild
  /** Directory of the built page. */
  pageDir: string
  /** Logs go to files only, not to stderr too. */
  quiet?: boolean
  /** Seals stored tokens and keys; without one they are in a file that only its owner may read. */
  seal?: Seal | null
}

/** Another box uses the data directory. */
export class AlreadyRunning extends Error {
  override readonly name = "AlreadyRunning"
}

/** Databases up to this size are checked in full before anything else: about 0.1 s. Larger ones beside the running box. */
const largestCheckedBytes = 64 * 1024 * 1024
/** How often the box looks whether another process revoked a credential that has something open. */
const revocationCheckMs = 400
/**
 * Connections that may wait to be accepted. Node's 511 are few where a thousand slow clients come again at once: whoever is
 * turned away tries again after 1 s, 3 s, 7 s and so on.
 */
const mostUnaccepted = 4_096
/** Connections that are still open this long after the box began to stop are cut. */
const closingGraceMs = 2_500

const secretsPath = (dataDir: string) => join(dataDir, "secrets.json")
export const databasePath = (dataDir: string) => join(dataDir, databaseFile)

/** Clocks are put right by a little all the time. */
const toldClockMs = 600_000

/**
 * Starts the box: config → running server.
 * @throws AlreadyRunning, DatabaseUnusable, or the system's error when the port is taken.
 */
export async function startBox(config: BoxConfig, options: StartOptions): Promise<RunningBox> {
  const { dataDir } = config
  await using stack = new AsyncDisposableStack()
  const lock = await takeDataDirectory(dataDir)
  if (!lock)
    throw new AlreadyRunning(`Another Casella box is running on ${dataDir}. Stop it, or use another --data.`)
  stack.use(lock)
  freeReserveIfFull(dataDir)
  const settled = settleIn(dataDir)
  emptyTemporaryFiles(dataDir)
  const logger = stack.use(await openLogger(dataDir, { quiet: options.quiet ?? false }))
  const place = stack.use(watchPlace(realpathSync(dataDir), logger))
  const reserve = stack.use(openDiskReserve(dataDir, logger))
  if (settled.change !== null)
    logger.warn(
      { from: settled.from, to: dataDir },
      `The data directory was ${settled.change} since the last start`,
    )
  const path = databasePath(dataDir)
  const isCutOff = wasCutOff(dataDir)
  const isBrought = settled.change === "copied" || isRestoring(dataDir)
  const isHarmed = isCutOff && isLogHarmed(path)
  if (isCutOff)
    logger.warn(
      {},
      "The last run was cut off, by a kill, a crash or a power cut; what it had begun is ended or undone",
    )
  const replaced = await applyStagedRestore(dataDir, logger)
  if (replaced !== null) logger.info({ replaced }, "Restored a backup; the data from before is kept")
  const databaseChecked = !existsSync(path) || statSync(path).size <= largestCheckedBytes
  if (databaseChecked) checkIntegrity(path)
  const spawn = options.spawn ?? spawnNodeChild
  await convertDatabase(path, spawn, logger)
  const database = stack.use(openDatabase(path))
  noteDatabase(dataDir)
  let running: RunFile | undefined
  const markDirectory = () => {
    if (readMarker(dataDir) === null)
      writeMarker(dataDir, { id: settled.id, place: realpathSync(dataDir), hasDatabase: true })
    if (running && !wasCutOff(dataDir)) writeRunFile(dataDir, running)
  }
  stack.use(rescueDatabase({ dataDir: realpathSync(dataDir), database, place, logger, markDirectory }))
  const clock = stack.use(openAgeClock(ageClockPath(dataDir), place.isKept))
  const behindMs = clock.latest() - Date.now()
  if (behindMs > toldClockMs)
    logger.warn(
      { hours: behindMs / 3_600_000 },
      "The computer's clock is behind the last run's. Look whether it is right: new things may be listed as older ones",
    )
  const known = stack.use(
    await knowDatabase({
      db: database.db,
      databasePath: path,
      path: knownDatabasePath(dataDir),
      isCopy: settled.change === "copied",
      times: clock,
      mayWrite: place.isKept,
      logger,
    }),
  )
  // What a killed box leaves is the database that it knew, with its log.
  if (isCutOff && !isBrought && (isHarmed || known.isOther)) await noteMissingChanges(dataDir)
  const bus = createEventBus()
  const live = createLiveConnections()
  const apps = createConnectedApps()
  let port = config.port
  // Stopping goes upwards from the end of this function: accept nothing more, end streams with their state stored,
  // then wait for what is still being answered.
  let server: Server | undefined
  const closed = Promise.withResolvers<void>()
  stack.defer(() => waitForClients())

  const parts = stack.use(
    await compose({
      config,
      database,
      bus,
      push: apps.send,
      live,
      apps,
      clock,
      logger,
      spawn,
      walls: options.spawn ? desktopWalls : forkedWalls,
      secrets: openSecretFile(secretsPath(dataDir), logger, options.seal),
      version: packageJson.version,
      port: () => port,
      databaseChecked,
      reserve,
      place,
      dataDirectoryId: settled.id,
      known,
    }),
  )
  const allowedHosts = () => [...config.allowedHosts, ...parts.settings.current.allowedHosts]
  if (!isLoopbackHost(config.host) && allowedHosts().length === 0) {
    throw new TerminalError(
      "validation",
      `Listening on ${config.host} would let other computers in. Name the host they may use with --allow-host NAME.`,
    )
  }
  const owner = await parts.people.ensureOwner()
  const firstRunKey = owner && (await parts.keys.create(owner.id, { name: "First run" })).key

  let guard: Guard
  const tickets = createDownloadTickets()
  const routes = parts.routes((request, carrier) => authenticate(request, carrier), tickets)
  const app = createApp(() => guard, logger, [
    routes,
    describe(packageJson.version),
    ...servePage(options.pageDir),
  ])
  const listening = createHttpServer(app)
  listening.listen({ port: config.port, host: config.host, backlog: mostUnaccepted })
  await once(listening, "listening")
  server = listening
  port = (listening.address() as AddressInfo).port
  guard = createGuard({
    port,
    allowedHosts,
    allowedOrigins: () => [...config.allowedOrigins, ...parts.settings.current.allowedOrigins],
  })
  const authenticate = createAuthenticate({
    store: { callerOfKey: parts.keys.callerOfKey, findSession: parts.sessions.findSession },
    guard,
    tickets,
    port,
  })
  stack.defer(() => {
    // The time runs while the parts end: what stalled clients and slow parts take mustn't add up.
    const cut = setTimeout(() => listening.closeAllConnections(), closingGraceMs)
    listening.close(() => {
      clearTimeout(cut)
      closed.resolve()
    })
    listening.closeIdleConnections()
  })
  stack.use(
    openSockets({
      server: listening,
      guard,
      authenticate,
      live,
      apps,
      logger,
      unreadCount: (id) => parts.unreadCount(id),
    }),
  )
  stack.use(watchRevocations())

  stack.defer(() => database.hurry())
  const url = `http://${addressName(config.host)}:${port}`
  stack.defer(() => {
    running = undefined
    if (place.isKept()) removeRunFile(dataDir) // another box may have begun in its place
  })
  running = { url, pid: process.pid }
  try {
    writeRunFile(dataDir, running)
  } catch (error) {
    logger.warn({ err: error }, "Commands won't find this box: its address couldn't be written down")
  }
  if (!isLoopbackHost(config.host)) {
    logger.warn({ host: config.host, allowedHosts: allowedHosts() }, "Other computers can reach this box")
  }
  const { on: localOnly } = parts.settings.localOnly()
  logger.info({ url, version: packageJson.version, localOnly }, "Ready")
  await parts.start()
  if (areChangesMissing(dataDir)) {
    logger.error(
      {},
      "Some of what was stored last may be missing: another program removed a file of the database, or wrote into it. Look whether all is there; if not, restore a backup",
    )
    await parts.changesMissing()
    await forgetMissingChanges(dataDir)
  }
  if (settled.change === "moved") await parts.dataMoved({ ...settled, to: dataDir })
  if (settled.change !== "copied") settled.remember()

  const resources = stack.move()
  return {
    url,
    dataDir,
    logger,
    firstRunKey,
    signInToken: async () => parts.sessions.createAppSignInToken((await parts.people.localOwner()).id),
    updateAvailable: parts.updateAvailable,
    outbound: parts.outbound,
    onLocalOnly: parts.onLocalOnly,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }

  async function waitForClients(): Promise<void> {
    if (!server) return // it never came to listening
    server.closeIdleConnections()
    await closed.promise
  }

  async function endRevoked(): Promise<void> {
    for (const id of await parts.keys.revoked(live.credentials())) live.close(id)
    bus.publish("people.disabled", { userIds: await parts.people.disabledIds() })
  }

  function watchRevocations(): Disposable {
    let seen = database.dataVersion()
    const timer = setInterval(() => {
      const version = database.dataVersion()
      if (version === seen) return
      seen = version
      endRevoked().catch((error: unknown) =>
        logger.error({ err: error }, "Could not check for revoked credentials"),
      )
    }, revocationCheckMs)
    return { [Symbol.dispose]: () => clearInterval(timer) }
  }
}

/** The name a client on this computer uses for the address that the box listens on. */
function addressName(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1"
  return host.includes(":") ? `[${host}]` : host
}

/** `/api/openapi.json` and `/api/docs`, made once, when first asked for: it takes a while, and anyone may ask. */
function describe(version: string): Router {
  const router = express.Router()
  let made: Promise<{ json: Buffer; page: Buffer }> | undefined
  async function make() {
    const { describeApi } = await import("./http/openapi/openapi.ts")
    const { renderApiDocs } = await import("./http/openapi/api-docs.ts")
    const document = describeApi(api, version)
    return { json: Buffer.from(JSON.stringify(document)), page: Buffer.from(renderApiDocs(document)) }
  }
  router.get("/api/openapi.json", async (_request, response) => {
    response.type("json").send((await (made ??= make())).json)
  })
  router.get("/api/docs", async (_request, response) => {
    response.type("html").send((await (made ??= make())).page)
  })
  return router
}
