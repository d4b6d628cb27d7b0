import { setTimeout as wait } from "node:timers/promises"
import type { Client, PoolClient } from "pg"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { newId } from "../../ids.ts"
import { DatabaseAway, DatabaseUnusable } from "../database.ts"
import { endConnection, requireWritable, toDatabaseUnusable } from "./connection.ts"
import {
  connect,
  createLock,
  endUnused,
  findOtherBoxes,
  getLastHolder,
  heartbeat,
  isLockedBy,
  isSchemaNewer,
  nameConnection,
  runningBox,
  setLastHolder,
  type Heartbeat,
  type OtherBox,
} from "./database-lock.ts"

const retryDelayMs = 1_000
/** How often a standby box requests the lock. */
const lockRetryMs = 200
/**
 * The running box uses its connection every `heartbeatMs`. A standby box takes over after it has seen the connection unused for this long.
 * Each answered look adds the time since the previous look, at most `maxCountedMs`, so that an outage of the server or the network, or a
 * sleeping computer, doesn't end a lease.
 */
const leaseMs = 6_000
const maxCountedMs = 1_000
/** How often the connection is used, to notice broken connections and other programs' writes. */
const heartbeatMs = 500
/** Maximum age of the information about writes. After this time, it is treated as unknown. */
const knownMs = 1_000
/** Time without an answer after which the box is treated as cut off from the database. */
const cutOffMs = 3_000
/** How often a running box that is cut off checks whether another box runs. */
const othersMs = 1_000

/** A database that this process holds. Only one box at a time uses the rows in it. */
export interface DatabaseLease extends AsyncDisposable {
  /** Application name for this process's connections. */
  readonly name: string
  /** Returns a number that changes within a second after anyone has written on the server; null while the server doesn't answer. */
  writes(): number | null
  /** Allows a new connection to write. Throws `unavailable` while this process doesn't hold the database. */
  admit(client: Pick<PoolClient, "query">): Promise<void>
  /** Records, when the schema exists, that this process has the database, so that it can later detect whether another process had it. */
  claim(): Promise<void>
}

/** A running or standby box's knowledge of the database and the other boxes. */
export interface Contact {
  /** Whether the server hasn't answered for some seconds. */
  isCutOff(): boolean
  /** Addresses of other boxes that are or were on standby, from the server's last answer. */
  others(): readonly string[]
}

/** How a box reacts to other boxes on the same database. */
export interface OtherBoxes {
  /** Called if another box runs. Returns the address at which other boxes reach this one; throws if this box must not wait. */
  wait(contact: Contact): Promise<string>
  /** Called once if a newer Casella has changed the schema, so that this box can't take over any more. */
  onOutdated(): void
  /** Called when this box ends the connection of a running box that stopped using it. */
  onLapsed(): void
  /** Returns the first of these addresses at which a box runs; null if there is none. */
  findRunning(addresses: readonly string[]): Promise<string | null>
}

/**
 * Holds a database for this process, even across server outages. If another process takes the database, this one ends with an uncaught
 * error. A process that takes the database first ends the previous process's connections, so that none of them writes any more.
 * @param boxes how to react to other boxes; without it, a running box is an error
 * @param lost called when another box has taken the database
 * @throws DatabaseInUse if another box holds it and can't be waited for
 */
export async function acquireDatabase(
  url: string,
  boxes: OtherBoxes | null = null,
  onLost: () => void = endReplacedBox,
): Promise<DatabaseLease> {
  const startedAt = performance.now()
  const client = await connect(url, null).catch((error: unknown) => {
    throw toDatabaseUnusable(error)
  })
  const lease = new HeldDatabase(client, { url, boxes, onLost, startedAt })
  await lease.acquire()
  return lease
}

interface HeldDatabaseOptions {
  url: string
  boxes: OtherBoxes | null
  onLost: () => void
  startedAt: number
}

/** `name`, `writes` and `admit` are own properties, because callers copy the lease and pass `admit` on as a function. */
class HeldDatabase implements DatabaseLease {
  readonly name = `${runningBox} ${newId()}`
  readonly #options: HeldDatabaseOptions
  readonly #takeLock = createLock(this.name)
  readonly #ending = new AbortController()
  readonly #contact: Contact = {
    isCutOff: () => performance.now() - this.#answeredAt > cutOffMs,
    others: () => this.#others,
  }
  #client: Client
  /** Server process that has the lock. */
  #holder: number | null = null
  /** Address of this box, if it was on standby. */
  #address: string | null = null
  #isClaimed = false
  #others: readonly string[] = []
  #answeredAt: number
  /** Changes whenever a transaction has ended, as seen when the connection was last used. */
  #writes = 0
  #usedAt = -Infinity
  #askingOthers: NodeJS.Timeout | undefined

  constructor(client: Client, options: HeldDatabaseOptions) {
    this.#client = client
    this.#options = options
    this.#answeredAt = options.startedAt
  }

  async acquire(): Promise<void> {
    this.#holder = await this.#takeWritable().catch(async (error: unknown) => {
      await endConnection(this.#client)
      throw toDatabaseUnusable(error)
    })
    const { boxes } = this.#options
    if (this.#holder === null) await this.#waitForLock(boxes)
    if (boxes) this.#startAskingOthers(boxes)
    this.#startHeartbeat()
  }

  readonly writes = () => (performance.now() - this.#usedAt > knownMs ? null : this.#writes)

  readonly admit = async (client: Pick<PoolClient, "query">) => {
    if (!(await isLockedBy(this.#holder, client)))
      throw new DatabaseAway(
        new Error("This process doesn't hold the database."),
        sentence("core.database_away"),
        true,
      )
  }

  async claim(): Promise<void> {
    await setLastHolder(this.#client, this.name)
    this.#isClaimed = true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort()
    clearInterval(this.#askingOthers)
    await endConnection(this.#client)
  }

  async #waitForLock(boxes: OtherBoxes | null): Promise<void> {
    try {
      if (boxes === null) throw new DatabaseInUse()
      this.#address = await boxes.wait(this.#contact)
      // If the connection broke in the meantime, the next one gets the name.
      await nameConnection(this.#client, this.#address).catch(() => undefined)
    } catch (error) {
      await endConnection(this.#client)
      throw error
    }
    await this.#takeOnceFree(boxes)
  }

  async #takeOnceFree(boxes: OtherBoxes): Promise<void> {
    let isReported = false
    const isUnused = createLeaseExpiryCheck()
    while (this.#holder === null) {
      await wait(lockRetryMs)
      try {
        const isOutdated = await isSchemaNewer(this.#client)
        const found = await findOtherBoxes(this.#client)
        this.#answeredAt = performance.now()
        this.#others = found.flatMap((box) => box.address ?? [])
        const lapsedBox = found.find((box) => isUnused(box, this.#answeredAt))
        if (isOutdated) {
          if (!isReported) boxes.onOutdated()
          isReported = true
          continue
        }
        if (lapsedBox && (await endUnused(this.#client, lapsedBox))) boxes.onLapsed()
        this.#holder = await this.#takeWritable()
      } catch {
        await endConnection(this.#client)
        this.#client = await this.#reconnect()
      }
    }
  }

  /**
   * Takes the lock for the first time, if the database accepts changes. A new connection shows whether it does: an open one keeps the
   * setting with which it started.
   */
  async #takeWritable(): Promise<number | null> {
    const holder = await this.#takeLock(this.#client)
    if (holder === null) return null
    const client = await connect(this.#options.url, null)
    try {
      await client.query(requireWritable)
      return holder
    } finally {
      await endConnection(client)
    }
  }

  async #reconnect(): Promise<Client> {
    for (;;) {
      try {
        return await connect(this.#options.url, this.#address)
      } catch {
        await wait(retryDelayMs, undefined, { signal: this.#ending.signal })
      }
    }
  }

  #startHeartbeat(): void {
    const client = this.#client
    let over: string | undefined
    let isAnswered = true
    const asking = setInterval(() => {
      if (!isAnswered) return
      isAnswered = false
      const at = performance.now()
      client.query<Heartbeat>(heartbeat).then(
        ({ rows }) => {
          isAnswered = true
          this.#usedAt = at
          this.#answeredAt = performance.now()
          if (rows[0]?.over !== over) this.#writes++
          over = rows[0]?.over
          this.#others = rows[0]?.others ?? []
        },
        () => endConnection(client),
      )
    }, heartbeatMs).unref()
    client.once("end", () => {
      clearInterval(asking)
      this.#holder = null
      this.#usedAt = -Infinity
      if (!this.#ending.signal.aborted) void this.#reacquireLock()
    })
  }

  async #reacquireLock(): Promise<void> {
    const { signal } = this.#ending
    while (!signal.aborted) {
      this.#client = await this.#reconnect().catch(() => this.#client)
      try {
        this.#holder = (await isSchemaNewer(this.#client)) ? null : await this.#takeLock(this.#client)
        // If another box had the database in between, this box's remembered data is outdated.
        if (this.#holder !== null && this.#isClaimed && (await getLastHolder(this.#client)) !== this.name)
          this.#holder = null
      } catch {
        // The server stopped again or fails, or the box is ending.
        await endConnection(this.#client)
        await wait(retryDelayMs, undefined, { signal }).catch(() => undefined)
        continue
      }
      if (this.#holder === null) {
        await endConnection(this.#client)
        return this.#options.onLost()
      }
      this.#startHeartbeat()
      if (signal.aborted) await endConnection(this.#client)
      return
    }
  }

  /** While the server doesn't answer, only another box can report that it has taken the database. */
  #startAskingOthers(boxes: OtherBoxes): void {
    const { isCutOff } = this.#contact
    let isAsking = false
    this.#askingOthers = setInterval(() => {
      if (isAsking || !isCutOff()) return
      isAsking = true
      boxes
        .findRunning(this.#others)
        .then(
          (found) => found !== null && isCutOff() && !this.#ending.signal.aborted && this.#options.onLost(),
        )
        .catch(() => undefined) // retried at the next interval
        .finally(() => (isAsking = false))
    }, othersMs).unref()
  }
}

/**
 * Returns a function that tells whether the lease of the box that holds the database has expired. Call it with the result of each look and
 * the time of its answer, in ms.
 */
export function createLeaseExpiryCheck(): (box: Omit<OtherBox, "address">, at: number) => boolean {
  let seen = ""
  let seenAt = 0
  let unusedMs = 0
  return ({ pid, holds, isIdle, usedAt }, at) => {
    if (!holds) return false
    const now = `${pid} ${usedAt}`
    unusedMs = now === seen && isIdle && usedAt !== "" ? unusedMs + Math.min(at - seenAt, maxCountedMs) : 0
    seen = now
    seenAt = at
    return unusedMs >= leaseMs
  }
}

/** Another box holds the database, and can't be waited for. */
export class DatabaseInUse extends DatabaseUnusable {
  constructor() {
    super(
      "Another server is active on the PostgreSQL database. Stop it, or use another database. To run a standby server, see docs/how-to/add-a-standby-server.md.",
    )
  }
}

/**
 * Ends the box because another one has taken its database. An error thrown from here can't be caught, so it ends the box
 * (core/process/uncaught.ts); a rejection wouldn't.
 */
export function endReplacedBox(): void {
  setImmediate(() => {
    throw new DatabaseUnusable("Another server has taken over the PostgreSQL database in the meantime.")
  })
}
