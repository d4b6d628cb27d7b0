import { setTimeout as wait } from "node:timers/promises"
import { z } from "zod"
import { readStored } from "../database/sql-helpers.ts"
import type { Logger } from "../logging/logger.ts"
import { eitherSignal, waitAtMost } from "../waiting/abort-and-timeout.ts"
import {
  ForeignObjects,
  type ObjectStore,
  ObjectStoreUnavailable,
  ObjectStoreRefused,
  ObjectStoreUnusable,
  type ListedObject,
} from "./object-store.ts"
import type { Readable } from "node:stream"

/** Key of the note that identifies the rows to which the other objects belong. */
const ownerNoteKey = "casella.json"
const Note = z.object({
  /** ID of the data directory in which the rows were created. */
  owner: z.string().min(1),
  /** `databaseInstance` of the rows' database. Older versions stored none. */
  database: z.string().nullish(),
})

/** The rows that refer to the objects. */
export interface RowsOwner {
  /** ID of the data directory in which the rows were created; a copy of the directory has another ID. */
  id: string
  /** `databaseInstance`, which differs for a copy of the database; null: the rows are in a file. */
  database: string | null
}

/** Result of checking a prefix. */
interface OwnPrefix {
  /** Whether the store refuses to overwrite an existing object when requested. Otherwise only the box's own locks separate two writers. */
  refusesOverwrites: boolean
}

/**
 * Claims a prefix for these rows, because a box deletes objects to which none of its rows refers.
 * @param known key of an object to which these rows refer: a prefix without a note is claimed only if it has that object
 * @throws ForeignObjects if the prefix belongs to other rows or lacks the object; the store's errors
 */
async function claimPrefix(
  store: Pick<ObjectStore, "address" | "text" | "has" | "create" | "write">,
  rows: RowsOwner,
  known: string | null,
): Promise<OwnPrefix> {
  const note = JSON.stringify({ owner: rows.id, ...(rows.database !== null && { database: rows.database }) })
  let found = await store.text(ownerNoteKey)
  if (found === null && known !== null && !(await store.has(known)))
    throw new ForeignObjects(
      `The files of this Casella aren't at ${store.address}. Give their location with --files, or copy them there.`,
    )
  if (found === null) await store.create(ownerNoteKey, note)
  else if (requireOwner(store, found, rows) === null && rows.database !== null)
    await store.write(ownerNoteKey, note)
  found = await store.text(ownerNoteKey)
  if (requireOwner(store, found, rows) !== rows.database) throw copiedDatabaseError(store)
  return { refusesOverwrites: (await store.create(ownerNoteKey, note)) === "exists" }
}

/**
 * Checks whether a box could use a prefix that is already claimed, and changes nothing there.
 * @param rows the rows to which the prefix must belong; with "any" as the database, any database is accepted
 * @throws the errors of `claimPrefix`
 */
export async function requireOwnPrefix(
  store: Pick<ObjectStore, "address" | "text" | "create">,
  rows: RowsOwner | { id: string; database: "any" },
): Promise<void> {
  const found = await store.text(ownerNoteKey)
  if (found === null) return
  requireOwner(store, found, rows)
  await store.create(ownerNoteKey, found) // a read-only key is refused
}

/** Returns the database that a note names. Throws if the note belongs to other rows. */
function requireOwner(
  store: Pick<ObjectStore, "address">,
  text: string | null,
  { id, database }: RowsOwner | { id: string; database: "any" },
): string | null {
  const note = text === null ? undefined : readStored(Note, text)
  if (note?.owner !== id)
    throw new ForeignObjects(
      `The files at ${store.address} belong to another Casella. Choose another bucket or prefix.`,
    )
  const named = note.database ?? null
  if (named !== null && database !== "any" && named !== database) throw copiedDatabaseError(store)
  return named
}

const copiedDatabaseError = ({ address }: Pick<ObjectStore, "address">) =>
  new ForeignObjects(
    `The files at ${address} belong to another database with the same data: this one is a copy of it, or was restored or moved from it. To try a copy, copy the objects too and give their location with --files. If the other database is never used again, delete the object ${ownerNoteKey} there and start again.`,
  )

type Times = typeof defaultTimes

const defaultTimes = {
  /** A store that responded less than this ago is treated as available. */
  freshMs: 10_000,
  /** Timeout of a small request that checks whether the store responds. */
  askMs: 2_000,
  /** Delay between two checks of the store during an upload, and the timeout of such a check. */
  uploadCheckIntervalMs: 4_000,
  uploadAskMs: 6_000,
}
/**
 * An upload fails after this many consecutive checks without a response, about 20 seconds after the store stops responding. An upload can
 * saturate a slow line and delay a small request, so a single check isn't conclusive.
 */
const maxMissedChecks = 2

export interface OwnedStoreDeps {
  store: ObjectStore
  owner: RowsOwner
  /** Key of an object that these rows refer to; null while there is none. */
  known: string | null
  logger: Pick<Logger, "info" | "warn">
}

/** A store on which nothing is written or removed until its prefix is known to belong to these rows. */
export interface OwnedStore extends ObjectStore {
  /** Checks the owner of the prefix, unless it is already known. Throws the errors of `claimPrefix`. */
  checkOwner(): Promise<void>
  /** Whether the store is available; sends a request unless it responded recently. Never throws. */
  answers(): Promise<boolean>
}

export const createOwnedStore = (deps: OwnedStoreDeps, times: Times = defaultTimes): OwnedStore =>
  new ClaimedStore(deps, times)

class ClaimedStore implements OwnedStore {
  readonly address: string
  readonly #deps: OwnedStoreDeps
  readonly #times: Times
  #owned: Promise<void> | undefined
  #trouble: ObjectStoreUnavailable | ObjectStoreRefused | null = null
  #answeredAt = -Infinity
  /** Start times of the requests that wait for a response. */
  readonly #waiting = new Set<{ since: number }>()
  #asking: Promise<true> | undefined

  constructor(deps: OwnedStoreDeps, times: Times) {
    this.address = deps.store.address
    this.#deps = deps
    this.#times = times
  }

  checkOwner(): Promise<void> {
    return (this.#owned ??= this.#take().catch((error: unknown) => {
      this.#owned = undefined // the next call checks again
      throw error
    }))
  }

  async #take(): Promise<void> {
    const { refusesOverwrites } = await this.#watched(() =>
      claimPrefix(this.#deps.store, this.#deps.owner, this.#deps.known),
    )
    if (!refusesOverwrites)
      this.#deps.logger.warn(
        { store: this.#deps.store.address },
        "The object store overwrites objects although it was asked not to, so no other program may write there",
      )
  }

  async #watched<T>(request: () => Promise<T>): Promise<T> {
    const started = { since: performance.now() }
    this.#waiting.add(started)
    try {
      const answer = await request()
      this.#answeredAt = performance.now()
      if (this.#trouble !== null)
        this.#deps.logger.info({ store: this.#deps.store.address }, "The object store responds again")
      this.#trouble = null
      return answer
    } catch (error) {
      if (error instanceof ObjectStoreUnavailable || error instanceof ObjectStoreRefused) {
        if (this.#trouble === null)
          this.#deps.logger.warn(
            { err: error, store: this.#deps.store.address },
            error instanceof ObjectStoreUnusable ? error.advice : "The object store fails",
          )
        this.#trouble = error
      }
      throw error
    } finally {
      this.#waiting.delete(started)
    }
  }

  async answers(): Promise<boolean> {
    const now = performance.now()
    const isSilent = [...this.#waiting].some(({ since }) => now - since > this.#times.askMs)
    if (this.#trouble === null && !isSilent && now - this.#answeredAt < this.#times.freshMs) return true
    return this.#isAnswering(this.#times.askMs)
  }

  /** Whether the store responds to a small request in time. Concurrent calls share one request. */
  async #isAnswering(limitMs: number): Promise<boolean> {
    this.#asking ??= this.checkOwner()
      .then(() => this.#watched(() => this.#deps.store.text(ownerNoteKey)))
      .then(() => true as const)
      .finally(() => (this.#asking = undefined))
    return (await waitAtMost(limitMs, this.#asking).catch(() => undefined)) === true
  }

  async put(key: string, path: string, signal?: AbortSignal): Promise<void> {
    await this.checkOwner()
    await this.#watched(() => this.#upload(key, path, signal))
  }

  /** Fails soon if the store hangs, instead of after the timeout of the upload. */
  async #upload(key: string, path: string, signal?: AbortSignal): Promise<void> {
    const hanging = new AbortController()
    const over = new AbortController()
    void this.#waitUntilUnresponsive(over.signal).then(
      () => hanging.abort(),
      () => undefined, // the upload is over
    )
    try {
      await this.#deps.store.put(key, path, eitherSignal(signal, hanging.signal))
    } catch (error) {
      if (hanging.signal.aborted && !signal?.aborted)
        throw new ObjectStoreUnavailable(this.#deps.store.address, error)
      throw error
    } finally {
      over.abort()
    }
  }

  /** Settles when the store has missed too many checks; rejects when the signal is aborted. */
  async #waitUntilUnresponsive(signal: AbortSignal): Promise<void> {
    for (let missed = 0; missed < maxMissedChecks;) {
      const since = performance.now()
      await wait(this.#times.uploadCheckIntervalMs, undefined, { signal, ref: false })
      // A late response to the previous check, or to another request, also shows that the store responds.
      missed = (await this.#isAnswering(this.#times.uploadAskMs)) || this.#answeredAt > since ? 0 : missed + 1
    }
    signal.throwIfAborted()
  }

  get(key: string, signal?: AbortSignal): Promise<Readable | null> {
    return this.#watched(() => this.#deps.store.get(key, signal))
  }

  text(key: string): Promise<string | null> {
    return this.#watched(() => this.#deps.store.text(key))
  }

  list(prefix: string): AsyncIterable<ListedObject[]> {
    return this.#deps.store.list(prefix)
  }

  has(key: string): Promise<boolean> {
    return this.#watched(() => this.#deps.store.has(key))
  }

  async write(key: string, text: string): Promise<void> {
    await this.checkOwner()
    await this.#watched(() => this.#deps.store.write(key, text))
  }

  async create(key: string, text: string): Promise<"created" | "exists" | "unsupported"> {
    await this.checkOwner()
    return this.#watched(() => this.#deps.store.create(key, text))
  }

  async remove(key: string): Promise<void> {
    await this.checkOwner()
    await this.#watched(() => this.#deps.store.remove(key))
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#deps.store[Symbol.asyncDispose]()
  }
}
