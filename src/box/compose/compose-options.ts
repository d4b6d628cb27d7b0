import type { ChildWalls } from "../../shared/contract/privacy.ts"
import type { NetworkState } from "../../shared/contract/settings.ts"
import type { SpawnChild } from "../core/children/child.ts"
import type { AgeClock } from "../core/age-clock.ts"
import type { KnownDatabase } from "../core/data-directory/known-database.ts"
import type { Shared } from "../core/data-directory/shared-rows.ts"
import type { Place } from "../core/data-directory/watch-place.ts"
import type { OpenDatabase } from "../core/database/database.ts"
import type { SqliteDatabaseFile } from "../core/database/sqlite/open-sqlite.ts"
import type { DiskReserve } from "../core/disk/disk-reserve.ts"
import type { EventBus } from "../core/event-bus.ts"
import type { Push } from "../core/push.ts"
import type { Logger } from "../core/logging/logger.ts"
import type { RowsOwner } from "../core/objects/own-prefix.ts"
import type { SecretStore } from "../core/secret-store.ts"
import type { BoxConfig } from "../box-config.ts"
import type { Deletions } from "../features/deletions/service.ts"
import type { ConnectedApps } from "../http/connected-apps.ts"
import type { LiveConnections } from "../http/live-connections.ts"
import type { Traffic } from "../http/traffic.ts"
import type { Workers } from "../http/workers/workers.ts"

export interface ComposeOptions {
  config: BoxConfig
  database: OpenDatabase
  /** The same where rows are in a file, of which the box takes care; null: a server does. */
  file: SqliteDatabaseFile | null
  /** With whose rows, files and secrets another box can take the place of this one; null: none can. */
  shared: Shared | null
  bus: EventBus
  push: Push
  live: LiveConnections
  apps: ConnectedApps
  traffic: Traffic
  /** Boxes that wait to take this one's place, and work for it meanwhile; null where none can. */
  workers: Workers | null
  logger: Logger
  spawn: SpawnChild
  /** Which walls stand around what it starts. */
  walls: () => ChildWalls[]
  /** Tokens and keys of other services. */
  secrets: SecretStore
  clock: AgeClock
  version: string
  /** Port the box listens on, known once it does. */
  port: () => number
  /** Whether other computers reach the box, and at which of this one's addresses. */
  network: { set(on: boolean): Promise<void>; hosts(): string[]; state(): NetworkState }
  /** The start has read and checked all of the database. */
  databaseChecked: boolean
  reserve: DiskReserve
  place: Place
  dataDirectoryId: string
  /** Identifies these rows to an object store. */
  rowsOwner: RowsOwner
  known: KnownDatabase
  /** How long a deletion can be undone, in ms. */
  undoMs: number
  /** Aborted once the box stops. */
  stopping: AbortSignal
}

/** What every group of parts is made with. */
export interface Base extends ComposeOptions {
  /** Without links: paths in it are told to clients, and compared with what the system says of open files. */
  dataDir: string
  deletions: Deletions
  /** Ends what is made, the last first. */
  stack: AsyncDisposableStack
}
