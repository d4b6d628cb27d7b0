import { setTimeout as wait } from "node:timers/promises"
import type { Logger } from "../logging/logger.ts"
import { eitherSignal } from "../waiting/abort.ts"
import { waitAtMost } from "../waiting/time-limit.ts"
import {
  ObjectStoreUnavailable,
  ObjectStoreRefused,
  ObjectStoreUnusable,
  type ObjectStore,
} from "./object-store.ts"
import { ownerNoteKey, claimPrefix, type RowsOwner } from "./own-prefix.ts"

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

export function createOwnedStore(
  { store, owner, known, logger }: OwnedStoreDeps,
  { freshMs, askMs, uploadCheckIntervalMs, uploadAskMs } = defaultTimes,
): OwnedStore {
  let owned: Promise<void> | undefined
  let trouble: ObjectStoreUnavailable | ObjectStoreRefused | null = null
  let answeredAt = -Infinity
  /** Start times of the requests that wait for a response. */
  const waiting = new Set<{ since: number }>()
  let asking: Promise<true> | undefined

  async function watched<T>(request: () => Promise<T>): Promise<T> {
    const started = { since: performance.now() }
    waiting.add(started)
    try {
      const answer = await request()
      answeredAt = performance.now()
      if (trouble !== null) logger.info({ store: store.address }, "The object store responds again")
      trouble = null
      return answer
    } catch (error) {
      if (error instanceof ObjectStoreUnavailable || error instanceof ObjectStoreRefused) {
        if (trouble === null)
          logger.warn(
            { err: error, store: store.address },
            error instanceof ObjectStoreUnusable ? error.advice : "The object store fails",
          )
        trouble = error
      }
      throw error
    } finally {
      waiting.delete(started)
    }
  }

  /** Whether the store responds to a small request in time. Concurrent calls share one request. */
  async function isAnswering(limitMs: number): Promise<boolean> {
    asking ??= checkOwner()
      .then(() => watched(() => store.text(ownerNoteKey)))
      .then(() => true as const)
      .finally(() => (asking = undefined))
    return (await waitAtMost(limitMs, asking).catch(() => undefined)) === true
  }

  /** Fails soon if the store hangs, instead of after the timeout of the upload. */
  async function upload(key: string, path: string, signal?: AbortSignal): Promise<void> {
    const hanging = new AbortController()
    const over = new AbortController()
    void waitUntilUnresponsive(over.signal).then(
      () => hanging.abort(),
      () => undefined, // the upload is over
    )
    try {
      await store.put(key, path, eitherSignal(signal, hanging.signal))
    } catch (error) {
      if (hanging.signal.aborted && !signal?.aborted) throw new ObjectStoreUnavailable(store.address, error)
      throw error
    } finally {
      over.abort()
    }
  }

  /** Settles when the store has missed too many checks; rejects when the signal is aborted. */
  async function waitUntilUnresponsive(signal: AbortSignal): Promise<void> {
    for (let missed = 0; missed < maxMissedChecks;) {
      const since = performance.now()
      await wait(uploadCheckIntervalMs, undefined, { signal, ref: false })
      // A late response to the previous check, or to another request, also shows that the store responds.
      missed = (await isAnswering(uploadAskMs)) || answeredAt > since ? 0 : missed + 1
    }
    signal.throwIfAborted()
  }

  async function take(): Promise<void> {
    const { refusesOverwrites } = await watched(() => claimPrefix(store, owner, known))
    if (!refusesOverwrites)
      logger.warn(
        { store: store.address },
        "The object store writes over objects that it is told to leave: no other program may write there",
      )
  }

  const checkOwner = () =>
    (owned ??= take().catch((error: unknown) => {
      owned = undefined // the next call checks again
      throw error
    }))

  return {
    address: store.address,
    checkOwner,
    async answers() {
      const now = performance.now()
      const isSilent = [...waiting].some(({ since }) => now - since > askMs)
      if (trouble === null && !isSilent && now - answeredAt < freshMs) return true
      return isAnswering(askMs)
    },
    async put(key, path, signal) {
      await checkOwner()
      await watched(() => upload(key, path, signal))
    },
    get: (key, signal) => watched(() => store.get(key, signal)),
    text: (key) => watched(() => store.text(key)),
    list: (prefix) => store.list(prefix),
    has: (key) => watched(() => store.has(key)),
    async write(key, text) {
      await checkOwner()
      await watched(() => store.write(key, text))
    },
    async create(key, text) {
      await checkOwner()
      return watched(() => store.create(key, text))
    },
    async remove(key) {
      await checkOwner()
      await watched(() => store.remove(key))
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}
