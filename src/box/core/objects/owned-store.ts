import type { Logger } from "../logging/logger.ts"
import { waitAtMost } from "../waiting/time-limit.ts"
import { ObjectsAway, ObjectsRefused, ObjectsUnusable, type ObjectStore } from "./object-store.ts"
import { noteKey, ownPrefix, type RowsOwner } from "./own-prefix.ts"

const longestAskMs = 2_000

export interface OwnedStoreDeps {
  store: ObjectStore
  owner: RowsOwner
  /** Key of an object that these rows tell of; null while they tell of none. */
  known: string | null
  logger: Pick<Logger, "info" | "warn">
}

/** A store on which nothing is written or removed before it was seen that the place is these rows' own. */
export interface OwnedStore extends ObjectStore {
  /** Looks whose it is, unless that was seen. Throws as `ownPrefix`. */
  look(): Promise<void>
  /** Whether requests come through; once one didn't, by asking the store again. Throws nothing. */
  answers(): Promise<boolean>
}

export function createOwnedStore({ store, owner, known, logger }: OwnedStoreDeps): OwnedStore {
  let owned: Promise<void> | undefined
  let trouble: ObjectsAway | ObjectsRefused | null = null

  async function watched<T>(request: () => Promise<T>): Promise<T> {
    try {
      const answer = await request()
      if (trouble !== null) logger.info({ store: store.address }, "The object store answers again")
      trouble = null
      return answer
    } catch (error) {
      if (error instanceof ObjectsAway || error instanceof ObjectsRefused) {
        if (trouble === null)
          logger.warn(
            { err: error, store: store.address },
            error instanceof ObjectsUnusable ? error.advice : "The object store fails",
          )
        trouble = error
      }
      throw error
    }
  }

  async function take(): Promise<void> {
    const { writesOnce } = await watched(() => ownPrefix(store, owner, known))
    if (!writesOnce)
      logger.warn(
        { store: store.address },
        "The object store writes over objects that it is told to leave: no other program may write there",
      )
  }

  const look = () =>
    (owned ??= take().catch((error: unknown) => {
      owned = undefined // the next one asks again
      throw error
    }))

  return {
    address: store.address,
    look,
    async answers() {
      if (trouble === null) return true
      const asked = look().then(() => watched(() => store.text(noteKey)))
      return waitAtMost(longestAskMs, asked).then(
        () => trouble === null,
        () => false,
      )
    },
    async put(key, path, signal) {
      await look()
      await watched(() => store.put(key, path, signal))
    },
    get: (key, signal) => watched(() => store.get(key, signal)),
    text: (key) => watched(() => store.text(key)),
    list: (prefix) => store.list(prefix),
    has: (key) => watched(() => store.has(key)),
    async write(key, text) {
      await look()
      await watched(() => store.write(key, text))
    },
    async create(key, text) {
      await look()
      return watched(() => store.create(key, text))
    },
    async remove(key) {
      await look()
      await watched(() => store.remove(key))
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}
