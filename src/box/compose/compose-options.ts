import type { ChildWalls } from "../../shared/contract/privacy.ts"
import type { NetworkState } from "../../shared/contract/settings.ts"
import type { SpawnChild } from "../core/children/child.ts"
import type { AgeClock } from "../core/age-clock.ts"
import type { KnownDatabase } from "../core/data-directory/known-database.ts"
import type { Shared } from "../core/data-directory/database-location.ts"
import type { DataDirectory } from "../core/data-directory/watch-data-directory.ts"
import type { OpenDatabase } from "../core/database/database.ts"
import type { SqliteDatabaseFile } from "../core/database/sqlite/open-sqlite.ts"
import type { DiskReserve } from "../core/disk/disk-space.ts"
import type { EventBus, Push } from "../core/event-bus.ts"
import type { Logger } from "../core/logging/logger.ts"
import type { RowsOwner } from "../core/objects/owned-store.ts"
import type { SecretStore } from "../core/secret-store.ts"
import type { BoxConfig } from "../box-config.ts"
import type { Deletions } from "../features/deletions/service.ts"
import type { ConnectedApps } from "../http/sockets.ts"
import type { LiveConnections } from "../http/live-connections.ts"
import type { Traffic } from "../http/http-server.ts"
import type { Workers } from "../http/workers/workers.ts"

export interface ComposeOptions {
  config: BoxConfig
  database: OpenDatabase
  /** The same database if its rows are in a file, which the box maintains; null: a server maintains them. */
  file: SqliteDatabaseFile | null
  /** The rows, files and secrets with which another box can take over from this one; null: none can. */
  shared: Shared | null
  bus: EventBus
  push: Push
  live: LiveConnections
  apps: ConnectedApps
  traffic: Traffic
  /** Answers for this box while it takes over from another; null: it didn't wait as a standby server. */
  forwarding: AsyncDisposable | null
  /** Standby boxes, which also run work for this one; null if there can be none. */
  workers: Workers | null
  logger: Logger
  spawn: SpawnChild
  /** Which sandboxes surround the child processes that the box starts. */
  walls: () => ChildWalls[]
  /** Tokens and keys of other services. */
  secrets: SecretStore
  clock: AgeClock
  version: string
  /** Port that the box listens on; known after it starts listening. */
  port: () => number
  /** Whether other computers can reach the box, and at which of this computer's addresses. */
  network: { set(on: boolean): Promise<void>; hosts(): string[]; state(): NetworkState }
  /** Whether the start has read and checked the whole database. */
  databaseChecked: boolean
  reserve: DiskReserve
  dataDirectory: DataDirectory
  dataDirectoryId: string
  /** Identifies these rows to an object store. */
  rowsOwner: RowsOwner
  known: KnownDatabase
  /** How long a deletion can be undone, in ms. */
  undoMs: number
  /** Aborted when the box stops. */
  stopping: AbortSignal
}

/** Dependencies that every group of parts receives. */
export interface Base extends ComposeOptions {
  /** Has no symbolic links: clients receive paths in it, and paths are compared with the system's list of open files. */
  dataDir: string
  deletions: Deletions
  /** Disposes of the parts in reverse order. */
  stack: AsyncDisposableStack
}
