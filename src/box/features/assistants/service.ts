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
import type { DbOf } from "../../core/database/database.ts"
import { readStored } from "../../core/database/sql-helpers.ts"
import type { Deletable, NoteDeletion } from "../../core/deletable.ts"
import { newId, timestamp } from "../../core/ids.ts"
import {
  hasFullRights,
  requireFolderScope,
  requireConfirmed,
  requireFullRights,
  type Caller,
} from "../../http/caller.ts"
import { isLinkedKey } from "../../tools/registry.ts"
import {
  assistantsInChat,
  type AssistantsInChat,
  createPresenter,
  toEntry,
  type PresentingDeps,
} from "./presenting.ts"
import {
  storedFlags,
  storedIds,
  type AssistantRow,
  deriveHandle,
  freeHandle,
  createAssistantStore,
  newRow,
  toColumns,
} from "./store.ts"

/** The user who creates or edits an assistant, and their rights. */
type AssistantEditor = Pick<Caller, "userId" | "scopes" | "isUnconfirmed">

interface CheckDeps {
  /** Returns those of the folders that don't exist or that the user may not search. */
  findUnusableFolders(userId: string, vectorIds: readonly string[]): Promise<string[]>
  /** Returns those of the tool keys that the user's box doesn't know. */
  unknownTools(userId: string, keys: readonly string[]): Promise<string[]>
  /** Whether a model with this id exists and may answer. */
  isModel(modelId: string): Promise<boolean>
}

/** Checks whether a user may save this: a new assistant, or a change of `before`. Throws if not. */
function createChecks({ findUnusableFolders, unknownTools, isModel }: CheckDeps) {
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
  if (widens) requireConfirmed(editor)
  const { vectorIds, builtInTools } = patch
  if (widens && before && vectorIds === undefined) requireFolderScope(editor, storedIds(before))
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

/** Maximum number of assistants per user. */
const maxAssistants = 1_000

/** Data of a deleted assistant, for restoring it: other assistants may take its handle in the meantime. */
const TrashedDetails = z.object({ handle: z.string() })

export interface AssistantsDeps extends CheckDeps, PresentingDeps {
  db: DbOf<"assistants">
  /** Returns the ids of everyone who shares a workspace with the user, including the user. */
  colleagues(userId: string): Promise<string[]>
  /** Deletes the box's copy of an image on the web. */
  forgetPicture(url: string): Promise<void>
  noteDeletion: NoteDeletion
  /** Notifies that the assistants of these users have changed; null: of all users. */
  changed(userIds: readonly string[] | null): void
}

/** Assistants. Sharing an assistant allows others to use it, but not to edit it. */
export interface Assistants extends AssistantsInChat {
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
  /** Restores a deleted assistant, or deletes it permanently. */
  readonly deletable: Deletable
  /** Returns the names of those of the assistants that exist, regardless of their owner, by id. */
  names(ids: readonly string[]): Promise<ReadonlyMap<string, string>>
}

export function createAssistants(deps: AssistantsDeps): Assistants {
  const { db, colleagues, forgetPicture } = deps
  const store = createAssistantStore(db)
  const presenter = createPresenter(deps)
  const { present } = presenter
  const requireAllowed = createChecks(deps)
  /** Notifies everyone who could or can use the assistant. */
  async function notify(...states: Pick<AssistantRow, "ownerId" | "visibility">[]): Promise<void> {
    const audiences = await Promise.all(
      states.map(async ({ ownerId, visibility }) =>
        visibility === "TEAM" ? colleagues(ownerId) : [ownerId],
      ),
    )
    const isPublic = states.some(({ visibility }) => visibility === "PUBLIC")
    deps.changed(isPublic ? null : [...new Set(audiences.flat())])
  }
  const missing = () => new AppError("not_found", sentence("assistants.not_yours"))

  return {
    async list(userId, page, search) {
      const { total, rows } = await store.list(userId, await colleagues(userId), page, search)
      const entries: AssistantEntry[] = []
      for (const row of rows) entries.push(toEntry(await present(row, userId)))
      return { assistants: entries, pagination: paginate(total, page, rows.length) }
    },

    async read(userId, id) {
      const row = await store.find(userId, await colleagues(userId), id)
      if (!row) throw new AppError("not_found", sentence("assistants.none_such"))
      return present(row, userId)
    },

    async handleFor(userId, wanted, id) {
      const base = deriveHandle(wanted)
      const taken = await store.handlesLike(db, base)
      const own = id === undefined ? undefined : await store.owned(userId, id)
      if (own) taken.delete(own.handle)
      const handle = freeHandle(base, taken)
      return { handle, free: handle === base }
    },

    async create(caller, draft) {
      const { userId } = caller
      await requireAllowed(caller, draft)
      const row = await store.transaction(async (trx) => {
        const base = draft.handle ?? deriveHandle(draft.name)
        const taken = await store.handlesLike(trx, base)
        if (draft.handle && taken.has(draft.handle)) throw handleTaken(draft.handle)
        if ((await store.countOwned(trx, userId)) >= maxAssistants)
          throw new AppError("conflict", sentence("assistants.too_many", { count: maxAssistants }))
        const created = {
          ...newRow(newId(), userId, draft.name, draft, freeHandle(base, taken)),
          ...getMark(caller, draft),
        }
        await trx.insertInto("assistants").values(created).execute()
        return created
      })
      await notify(row)
      return present(row, userId)
    },

    async update(caller, id, patch) {
      const { userId } = caller
      const before = await store.owned(userId, id)
      if (!before) throw missing()
      await requireAllowed(caller, patch, before)
      await store.transaction(async (trx) => {
        const changes = { ...toColumns(patch), ...getMark(caller, patch), updatedAt: timestamp() }
        if (patch.handle !== undefined && patch.handle !== before.handle) {
          const base = patch.handle ?? deriveHandle(patch.name ?? before.name)
          const taken = await store.handlesLike(trx, base)
          taken.delete(before.handle)
          if (patch.handle !== null && taken.has(base)) throw handleTaken(base)
          changes.handle = freeHandle(base, taken)
        }
        await trx.updateTable("assistants").set(changes).where("id", "=", id).execute()
      })
      const after = await store.owned(userId, id)
      if (!after) throw missing()
      if (before.customImage !== null && before.customImage !== after.customImage)
        await forgetPicture(before.customImage)
      await notify(before, after)
      return present(after, userId)
    },

    async remove(userId, id) {
      const row = await store.owned(userId, id)
      if (!row) throw missing()
      const kept = JSON.stringify({ handle: row.handle } satisfies z.infer<typeof TrashedDetails>)
      const undo = await store.transaction(async (trx) => {
        if (!(await store.hide(trx, id))) throw missing()
        return deps.noteDeletion(trx, { ownerId: userId, kind: "assistant", itemId: id, kept })
      })
      await notify(row)
      return undo
    },

    deletable: {
      async restore({ ownerId, itemId, kept }, also) {
        await store.transaction(async (trx) => {
          await also(trx)
          const handle = readStored(TrashedDetails, kept)?.handle ?? deriveHandle("")
          await store.show(trx, itemId, freeHandle(handle, await store.handlesLike(trx, handle)))
        })
        const row = await store.owned(ownerId, itemId)
        if (row) await notify(row)
      },

      async end({ itemId }) {
        const picture = await store.remove(itemId)
        if (picture !== null) await forgetPicture(picture)
      },
    },

    ...assistantsInChat({ ...deps, store, presenter }),
    names: store.names,
  }
}

const handleTaken = (handle: string) =>
  new AppError("handle_taken", sentence("assistants.handle_taken", { handle }))
