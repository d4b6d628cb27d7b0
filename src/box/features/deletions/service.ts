import type { api } from "../../../shared/contract/api.ts"
import type { DeletionKind } from "../../../shared/contract/deletions.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { DbOf } from "../../core/database/database.ts"
import type { Deletable, Deletion, NoteDeletion } from "../../core/deletable.ts"
import { newSecret } from "../../core/ids.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { createDelayedWork, type DelayedWork } from "../../core/waiting/delayed-work.ts"
import { reachesFolders, type Caller } from "../../http/caller.ts"
import type { Handlers } from "../../http/serve.ts"
import { createDeletionStore, type DeletionStore, type StoredDeletion } from "./store.ts"

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

export const createDeletions = (deps: DeletionsDeps): Deletions => new DeletionService(deps)

class DeletionService implements Deletions {
  readonly #deps: DeletionsDeps
  readonly #store: DeletionStore
  readonly #deletables = new Map<DeletionKind, Deletable>()
  readonly #ending = new Map<number, Promise<void>>()
  /** Deletions being restored: restoring many may take longer than the time they have left. */
  readonly #returning = new Set<number>()
  #closed = false
  readonly #later: DelayedWork

  constructor(deps: DeletionsDeps) {
    this.#deps = deps
    this.#store = createDeletionStore(deps.db)
    this.#later = createDelayedWork(
      () => this.start(),
      deps.undoMs,
      (error) => deps.logger.error({ err: error }, "Completing deletions failed"),
    )
  }

  handle(kind: DeletionKind, deletable: Deletable): void {
    this.#deletables.set(kind, deletable)
  }

  /** A property, because features take it as a function. */
  readonly note: NoteDeletion = async (transaction, ...deletions) => {
    const token = newSecret()
    const until = await this.#store.add(transaction, deletions, token, this.#deps.undoMs)
    this.#later.ask()
    return { token, until }
  }

  async endNow(ownerId: string, kind: DeletionKind, itemId: string): Promise<void> {
    for (const deletion of await this.#store.finalise(ownerId, kind, itemId)) await this.#endOnce(deletion)
  }

  /** Concurrent callers wait for the same end. */
  async #endOnce(deletion: StoredDeletion): Promise<void> {
    const { number } = deletion
    const started = this.#ending.get(number) ?? this.#end(deletion).finally(() => this.#ending.delete(number))
    this.#ending.set(number, started)
    await started
  }

  async #end(deletion: StoredDeletion): Promise<void> {
    if (!(await this.#store.isDue(deletion))) return
    await this.#getDeletable(deletion.kind).end(deletion)
    await this.#store.forget(deletion.number)
  }

  #getDeletable(kind: DeletionKind): Deletable {
    const deletable = this.#deletables.get(kind)
    if (!deletable) throw new Error(`No feature handles deletions of the kind ${kind}`)
    return deletable
  }

  async undo(
    caller: Pick<Caller, "userId" | "scopes">,
    token: string,
  ): Promise<Pick<Deletion, "kind" | "itemId">> {
    const found = await this.#store.find(caller.userId, token)
    for (const { kind } of found) requireRight(caller, kind)
    const back: StoredDeletion[] = []
    let failure: unknown = gone()
    for (const { number } of found) this.#returning.add(number)
    for (const deletion of found)
      await this.#restore(deletion, token)
        .then(
          () => back.push(deletion),
          (error: unknown) => (failure = error),
        )
        .finally(() => this.#returning.delete(deletion.number))
    const [first] = back
    if (!first) throw failure
    return first
  }

  #restore(deletion: StoredDeletion, token: string): Promise<void> {
    return this.#getDeletable(deletion.kind).restore(deletion, async (transaction) => {
      if (!(await this.#store.use(transaction, deletion.number, token))) throw gone()
    })
  }

  async start(): Promise<void> {
    let nextMs: number | null = this.#deps.undoMs
    try {
      for (const deletion of await this.#store.due(this.#deps.undoMs, this.#returning))
        await this.#endOrLeave(deletion)
      nextMs = await this.#store.nextMs(this.#deps.undoMs)
    } finally {
      // Also when the database couldn't be read. A deletion that is being restored may be overdue.
      if (nextMs !== null) this.#later.ask(Math.max(nextMs, Math.min(this.#deps.undoMs, minWaitMs)))
    }
  }

  /** Items that can't be removed now, for example on a full disk, are retried later, by the next start at the latest. */
  async #endOrLeave(deletion: StoredDeletion): Promise<void> {
    if (this.#closed) return
    try {
      await this.#endOnce(deletion)
    } catch (error) {
      const { kind, itemId } = deletion
      this.#deps.logger.warn({ err: error, kind, itemId }, "A deleted item can't be removed yet")
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    await this.#later[Symbol.asyncDispose]()
    await Promise.allSettled(this.#ending.values())
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
