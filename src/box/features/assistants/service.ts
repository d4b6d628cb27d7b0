import { z } from "zod"
import type {
  AssistantPatch,
  Assistant,
  AssistantDraft,
  AssistantEntry,
} from "../../../shared/contract/assistants.ts"
import type { Undo } from "../../../shared/contract/deletions.ts"
import { AppError, invalidField } from "../../../shared/contract/errors.ts"
import { paginate, type Page, type Pagination } from "../../../shared/contract/primitives.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { AlsoWrite, DbOf } from "../../core/database/database.ts"
import { readStored } from "../../core/database/sql-helpers.ts"
import type { Deletable, Deletion, NoteDeletion } from "../../core/deletable.ts"
import { newId, timestamp } from "../../core/ids.ts"
import {
  hasFullRights,
  requireFolderScope,
  requireConfirmed,
  requireFullRights,
  type Caller,
} from "../../http/caller.ts"
import { isLinkedKey } from "../../tools/registry.ts"
import { type ChatAssistant, createPresenter, fillIn, toEntry, type PresentingDeps } from "./presenting.ts"
import {
  storedFlags,
  storedIds,
  type AssistantRow,
  type AssistantStore,
  deriveHandle,
  freeHandle,
  createAssistantStore,
  newRow,
  toColumns,
} from "./store.ts"

/** The user who creates or edits an assistant, and their rights. */
type AssistantEditor = Pick<Caller, "userId" | "scopes" | "isUnconfirmed">

/** Checks whether a user may save this: a new assistant, or a change of `before`. Throws if not. */
function createChecks({ findUnusableFolders, unknownTools, isModel }: AssistantsDeps) {
  async function requireFolders(
    userId: string,
    vectorIds: readonly string[] | null | undefined,
  ): Promise<void> {
    if (!vectorIds || vectorIds.length === 0) return
    const details = await findUnusableFolders(userId, vectorIds)
    if (details.length === 0) return
    throw new AppError("forbidden", sentence("assistants.folders_not_yours"), {
      details,
    })
  }

  /** Users add and remove servers, so the contract can't list their keys. */
  async function requireTools(userId: string, flags: AssistantPatch["builtInTools"]): Promise<void> {
    const [unknown] = await unknownTools(userId, Object.keys(flags ?? {}))
    if (unknown === undefined) return
    throw invalidField(`builtInTools.${unknown}`, sentence("assistants.not_a_tool", { tool: unknown }))
  }

  return async function requireAllowed(
    editor: AssistantEditor,
    patch: AssistantPatch,
    before?: AssistantRow,
  ) {
    requireFolderScope(editor, patch.vectorIds)
    requireRightToShare(editor, patch, before)
    requireRightToWaive(
      editor,
      patch.permissionMode === "bypass" || (before !== undefined && changesBehaviour(before, patch)),
    )
    await requireFolders(editor.userId, patch.vectorIds)
    await requireTools(editor.userId, patch.builtInTools)
    if (patch.modelId != null && !(await isModel(patch.modelId)))
      throw invalidField("modelId", sentence("assistants.no_such_model"))
  }
}

/** Everyone who can see an assistant can read its folders and gets its accounts as tools. */
function requireRightToShare(editor: AssistantEditor, patch: AssistantPatch, before?: AssistantRow): void {
  const visibility = patch.visibility ?? before?.visibility ?? "PRIVATE"
  if (hasFullRights(editor) || visibility === "PRIVATE") return
  const widens = visibility !== before?.visibility
  const { vectorIds, builtInTools } = patch
  const stored = before ? storedIds(before) : []
  if (widens || vectorIds?.some((id) => !stored.includes(id))) requireConfirmed(editor)
  if (widens && before && vectorIds === undefined) requireFolderScope(editor, stored)
  const flags = widens && before && builtInTools === undefined ? storedFlags(before) : builtInTools
  if (Object.entries(flags ?? {}).some(([key, isOn]) => isOn && isLinkedKey(key)))
    requireFullRights(editor, sentence("http.full_rights_only"))
}

/** Throws `forbidden` if a key without full rights would let an assistant act without approvals. */
function requireRightToWaive(editor: AssistantEditor, waives: boolean): void {
  if (waives) requireFullRights(editor, sentence("assistants.not_without_asking"))
}

/** Whether an assistant that doesn't ask gets other instructions, tools, folders or another model. */
const changesBehaviour = ({ permissionMode }: AssistantRow, patch: AssistantPatch): boolean =>
  permissionMode === "bypass" &&
  [patch.instructions, patch.builtInTools, patch.vectorIds, patch.modelId].some(
    (change) => change !== undefined,
  )

/**
 * A key without full rights marks the assistants that it writes: no one follows them without approvals. Someone with full rights who saves
 * the instructions removes the mark.
 */
function getMark(
  editor: AssistantEditor,
  { description, instructions, builtInTools, vectorIds, modelId }: AssistantPatch,
): { writtenByScopedKey?: number } {
  if (hasFullRights(editor)) return instructions === undefined ? {} : { writtenByScopedKey: 0 }
  const isWritten = [description, instructions, builtInTools, vectorIds, modelId].some(
    (change) => change !== undefined,
  )
  return isWritten ? { writtenByScopedKey: 1 } : {}
}

/** Maximum number of assistants that another one can delegate to. */
const maxDelegates = 30

/** Maximum number of assistants per user. */
const maxAssistants = 1_000

/** Data of a deleted assistant, for restoring it: other assistants may take its handle in the meantime. */
const TrashedDetails = z.object({ handle: z.string() })

export interface AssistantsDeps extends PresentingDeps {
  db: DbOf<"assistants">
  /** Returns those of the folders that don't exist or that the user may not search. */
  findUnusableFolders(userId: string, vectorIds: readonly string[]): Promise<string[]>
  /** Whether a model with this id exists and may answer. */
  isModel(modelId: string): Promise<boolean>
  /** Returns the ids of everyone who shares a workspace with the user, including the user. */
  colleagues(userId: string): Promise<string[]>
  /** Deletes the box's copy of an image on the web. */
  forgetPicture(url: string): Promise<void>
  noteDeletion: NoteDeletion
  /** Notifies that the assistants of these users have changed; null: of all users. */
  changed(userIds: readonly string[] | null): void
}

/** An assistant to which another can delegate a task. */
export interface Delegate {
  id: string
  handle: string
  /** Empty unless the assistant is the user's own. */
  description: string
  isByScopedKey: boolean
}

/** Assistants. Sharing an assistant allows others to use it, but not to edit it. Deleted assistants can be restored for a while. */
export interface Assistants extends Deletable {
  list(
    userId: string,
    page: Page,
    search?: string,
  ): Promise<{ assistants: AssistantEntry[]; pagination: Pagination }>
  /** Throws `not_found`, also for an assistant that the user may not use. */
  read(userId: string, id: string): Promise<Assistant>
  /**
   * Returns the handle that a name would get now. `free` is true if nothing had to be added. The assistant's own handle is treated as free.
   */
  handleFor(userId: string, wanted: string, id?: string): Promise<{ handle: string; free: boolean }>
  /**
   * Throws `forbidden`, which names the folders the caller may not search or the fields that need full rights; `handle_taken`; or
   * `conflict` when there are too many.
   */
  create(caller: AssistantEditor, draft: AssistantDraft): Promise<Assistant>
  /** For the owner only: throws `not_found` for everyone else. */
  update(caller: AssistantEditor, id: string, patch: AssistantPatch): Promise<Assistant>
  remove(userId: string, id: string): Promise<Undo>
  /** Returns the names of those of the assistants that exist, regardless of their owner, by id. */
  names(ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Returns the assistant's settings for a chat; null if the user can't use it. Throws `assistant_disabled`. */
  findForChat(userId: string, id: string): Promise<ChatAssistant | null>
  /** Returns enabled assistants that the user may use, in order of creation. */
  delegates(userId: string): Promise<Delegate[]>
}

export const createAssistants = (deps: AssistantsDeps): Assistants => new AssistantService(deps)

class AssistantService implements Assistants {
  readonly #deps: AssistantsDeps
  readonly #store: AssistantStore
  readonly #presenter: ReturnType<typeof createPresenter>
  readonly #requireAllowed: ReturnType<typeof createChecks>

  constructor(deps: AssistantsDeps) {
    this.#deps = deps
    this.#store = createAssistantStore(deps.db)
    this.#presenter = createPresenter(deps)
    this.#requireAllowed = createChecks(deps)
  }

  async list(userId: string, page: Page, search?: string) {
    const { total, rows } = await this.#store.list(userId, await this.#deps.colleagues(userId), page, search)
    const entries: AssistantEntry[] = []
    for (const row of rows) entries.push(toEntry(await this.#presenter.present(row, userId)))
    return { assistants: entries, pagination: paginate(total, page, rows.length) }
  }

  async read(userId: string, id: string): Promise<Assistant> {
    const row = await this.#store.find(userId, await this.#deps.colleagues(userId), id)
    if (!row) throw new AppError("not_found", sentence("assistants.none_such"))
    return this.#presenter.present(row, userId)
  }

  async handleFor(userId: string, wanted: string, id?: string): Promise<{ handle: string; free: boolean }> {
    const base = deriveHandle(wanted)
    const taken = await this.#store.handlesLike(this.#deps.db, base)
    const own = id === undefined ? undefined : await this.#store.owned(userId, id)
    if (own) taken.delete(own.handle)
    const handle = freeHandle(base, taken)
    return { handle, free: handle === base }
  }

  async create(caller: AssistantEditor, draft: AssistantDraft): Promise<Assistant> {
    const { userId } = caller
    await this.#requireAllowed(caller, draft)
    const row = await this.#store.transaction(async (trx) => {
      const base = draft.handle ?? deriveHandle(draft.name)
      const taken = await this.#store.handlesLike(trx, base)
      if (draft.handle && taken.has(draft.handle)) throw handleTaken(draft.handle)
      if ((await this.#store.countOwned(trx, userId)) >= maxAssistants)
        throw new AppError("conflict", sentence("assistants.too_many", { count: maxAssistants }))
      const created = {
        ...newRow(newId(), userId, draft.name, draft, freeHandle(base, taken)),
        ...getMark(caller, draft),
      }
      await trx.insertInto("assistants").values(created).execute()
      return created
    })
    await this.#notify(row)
    return this.#presenter.present(row, userId)
  }

  /** Notifies everyone who could or can use the assistant. */
  async #notify(...states: Pick<AssistantRow, "ownerId" | "visibility">[]): Promise<void> {
    const audiences = await Promise.all(
      states.map(async ({ ownerId, visibility }) =>
        visibility === "TEAM" ? this.#deps.colleagues(ownerId) : [ownerId],
      ),
    )
    const isPublic = states.some(({ visibility }) => visibility === "PUBLIC")
    this.#deps.changed(isPublic ? null : [...new Set(audiences.flat())])
  }

  async update(caller: AssistantEditor, id: string, patch: AssistantPatch): Promise<Assistant> {
    const { userId } = caller
    const before = await this.#store.owned(userId, id)
    if (!before) throw notYours()
    await this.#requireAllowed(caller, patch, before)
    await this.#store.transaction(async (trx) => {
      const changes = { ...toColumns(patch), ...getMark(caller, patch), updatedAt: timestamp() }
      if (patch.handle !== undefined && patch.handle !== before.handle) {
        const base = patch.handle ?? deriveHandle(patch.name ?? before.name)
        const taken = await this.#store.handlesLike(trx, base)
        taken.delete(before.handle)
        if (patch.handle !== null && taken.has(base)) throw handleTaken(base)
        changes.handle = freeHandle(base, taken)
      }
      await trx.updateTable("assistants").set(changes).where("id", "=", id).execute()
    })
    const after = await this.#store.owned(userId, id)
    if (!after) throw notYours()
    if (before.customImage !== null && before.customImage !== after.customImage)
      await this.#deps.forgetPicture(before.customImage)
    await this.#notify(before, after)
    return this.#presenter.present(after, userId)
  }

  async remove(userId: string, id: string): Promise<Undo> {
    const row = await this.#store.owned(userId, id)
    if (!row) throw notYours()
    const kept = JSON.stringify({ handle: row.handle } satisfies z.infer<typeof TrashedDetails>)
    const undo = await this.#store.transaction(async (trx) => {
      if (!(await this.#store.hide(trx, id))) throw notYours()
      return this.#deps.noteDeletion(trx, { ownerId: userId, kind: "assistant", itemId: id, kept })
    })
    await this.#notify(row)
    return undo
  }

  async restore({ ownerId, itemId, kept }: Deletion, also: AlsoWrite): Promise<void> {
    await this.#store.transaction(async (trx) => {
      await also(trx)
      const handle = readStored(TrashedDetails, kept)?.handle ?? deriveHandle("")
      await this.#store.show(trx, itemId, freeHandle(handle, await this.#store.handlesLike(trx, handle)))
    })
    const row = await this.#store.owned(ownerId, itemId)
    if (row) await this.#notify(row)
  }

  async end({ itemId }: Deletion): Promise<void> {
    const picture = await this.#store.remove(itemId)
    if (picture !== null) await this.#deps.forgetPicture(picture)
  }

  names(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return this.#store.names(ids)
  }

  async findForChat(userId: string, id: string): Promise<ChatAssistant | null> {
    const row = await this.#store.find(userId, await this.#deps.colleagues(userId), id)
    if (!row) return null
    if (row.enabled === 0) {
      throw new AppError("assistant_disabled", sentence("assistants.disabled", { name: row.name }))
    }
    const folders = await this.#presenter.getFolders(row)
    const owned = row.ownerId === userId
    const user = await this.#deps.userName(userId)
    return {
      id: row.id,
      name: row.name,
      instructions: fillIn(row.instructions, { user, now: new Date() }),
      vectorIds: folders.map((folder) => folder.id),
      builtInTools: await this.#presenter.getTools(row),
      permissionMode: row.permissionMode,
      modelId: row.modelId,
      owned,
      isByScopedKey: owned && row.writtenByScopedKey === 1,
    }
  }

  async delegates(userId: string): Promise<Delegate[]> {
    const rows = await this.#store.enabled(userId, await this.#deps.colleagues(userId), maxDelegates)
    return rows.map(({ id, handle, description, ownerId, writtenByScopedKey }) => ({
      id,
      handle,
      isByScopedKey: ownerId === userId && writtenByScopedKey === 1,
      description: ownerId === userId ? description : "",
    }))
  }
}

const notYours = () => new AppError("not_found", sentence("assistants.not_yours"))

const handleTaken = (handle: string) =>
  new AppError("handle_taken", sentence("assistants.handle_taken", { handle }))
