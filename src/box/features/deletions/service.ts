import type { api } from "../../../shared/contract/api.ts"
import type { DeletionKind } from "../../../shared/contract/deletions.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { DbOf } from "../../core/database/database.ts"
import type { Deletable, Deletion, NoteDeletion } from "../../core/deletable.ts"
import { newSecret } from "../../core/ids.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { createDelayedWork } from "../../core/waiting/delayed-work.ts"
import { reachesFolders, type Caller } from "../../http/caller.ts"
import type { Handlers } from "../../http/serve.ts"
import { createDeletionStore, type StoredDeletion } from "./store.ts"

/** Minimum time between two checks for due deletions. */
const minWaitMs = 1_000

interface DeletionsDeps {
  db: DbOf<"deletions">
  logger: Logger
  /** Time in ms during which a deletion can be undone. */
  undoMs: number
}

/**
 * Undoable deletions that survive restarts. Deleting hides items immediately, in one write, and removes them when they can no longer be
 * restored. Features hide and restore their own items; this service tracks the deadline.
 */
export interface Deletions extends AsyncDisposable {
  /** Sets the handler that restores and ends deletions of a kind. */
  handle(kind: DeletionKind, deletable: Deletable): void
  note: NoteDeletion
  /** Ends an item's deletion now, for example because its ID is reused. Does nothing if there is none. */
  endNow(ownerId: string, kind: DeletionKind, itemId: string): Promise<void>
  /**
   * Returns the first restored item. An item that can't be restored doesn't block the others, and neither does a deadline that passes
   * during the restore. If the box is killed in between, the token restores the rest. Throws `not_found` for a token that is unknown, used,
   * expired or belongs to another user, `forbidden` for a key without the right.
   */
  undo(caller: Pick<Caller, "userId" | "scopes">, token: string): Promise<Pick<Deletion, "kind" | "itemId">>
  /** Ends due deletions, now and from now on. */
  start(): Promise<void>
}

export function createDeletions({ db, logger, undoMs }: DeletionsDeps): Deletions {
  const store = createDeletionStore(db)
  const deletables = new Map<DeletionKind, Deletable>()
  const ending = new Map<number, Promise<void>>()
  /** Deletions being restored: restoring many may take longer than the time they have left. */
  const returning = new Set<number>()
  let closed = false

  const getDeletable = (kind: DeletionKind): Deletable => {
    const deletable = deletables.get(kind)
    if (!deletable) throw new Error(`Nobody handles deletions of the kind ${kind}`)
    return deletable
  }

  async function end(deletion: StoredDeletion): Promise<void> {
    if (!(await store.isDue(deletion))) return
    await getDeletable(deletion.kind).end(deletion)
    await store.forget(deletion.number)
  }

  /** Concurrent callers wait for the same end. */
  async function endOnce(deletion: StoredDeletion): Promise<void> {
    const { number } = deletion
    const started = ending.get(number) ?? end(deletion).finally(() => ending.delete(number))
    ending.set(number, started)
    await started
  }

  const restore = (deletion: StoredDeletion, token: string): Promise<void> =>
    getDeletable(deletion.kind).restore(deletion, async (transaction) => {
      if (!(await store.use(transaction, deletion.number, token))) throw gone()
    })

  /** Items that can't be removed now, for example on a full disk, are retried later, by the next start at the latest. */
  async function endOrLeave(deletion: StoredDeletion): Promise<void> {
    if (closed) return
    try {
      await endOnce(deletion)
    } catch (error) {
      const { kind, itemId } = deletion
      logger.warn({ err: error, kind, itemId }, "A deleted item can't be removed yet")
    }
  }

  async function endDue(): Promise<void> {
    let nextMs: number | null = undoMs
    try {
      for (const deletion of await store.due(undoMs, returning)) await endOrLeave(deletion)
      nextMs = await store.nextMs(undoMs)
    } finally {
      // Also when the database couldn't be read. A deletion that is being restored may be overdue.
      if (nextMs !== null) later.ask(Math.max(nextMs, Math.min(undoMs, minWaitMs)))
    }
  }

  const later = createDelayedWork(endDue, undoMs, (error) =>
    logger.error({ err: error }, "Completing deletions failed"),
  )

  return {
    handle: (kind, deletable) => void deletables.set(kind, deletable),

    async note(transaction, ...deletions) {
      const token = newSecret()
      const until = await store.add(transaction, deletions, token, undoMs)
      later.ask()
      return { token, until }
    },

    async endNow(ownerId, kind, itemId) {
      for (const deletion of await store.finalise(ownerId, kind, itemId)) await endOnce(deletion)
    },

    async undo(caller, token) {
      const found = await store.find(caller.userId, token)
      for (const { kind } of found) requireRight(caller, kind)
      const back: StoredDeletion[] = []
      let failure: unknown = gone()
      for (const { number } of found) returning.add(number)
      for (const deletion of found)
        await restore(deletion, token)
          .then(
            () => back.push(deletion),
            (error: unknown) => (failure = error),
          )
          .finally(() => returning.delete(deletion.number))
      const [first] = back
      if (!first) throw failure
      return first
    },

    start: endDue,

    async [Symbol.asyncDispose]() {
      closed = true
      await later[Symbol.asyncDispose]()
      await Promise.allSettled(ending.values())
    },
  }
}

const gone = () => new AppError("not_found", sentence("deletions.gone"))

/** Anyone who may delete an item may restore it. */
function requireRight(caller: Pick<Caller, "scopes">, kind: DeletionKind): void {
  const { scopes } = caller
  const needsFolders = kind === "folder" || kind === "file"
  if (needsFolders ? reachesFolders(caller) : scopes === null || scopes.includes("assistants")) return
  throw new AppError("forbidden", sentence("http.key_limited", { scopes: (scopes ?? []).join(", ") }))
}

export function deletionHandlers(deletions: Deletions): Handlers<typeof api.deletions> {
  return {
    async undo({ caller, body }) {
      const { kind, itemId } = await deletions.undo(caller, body.token)
      return { success: true, kind, id: itemId }
    },
  }
}
