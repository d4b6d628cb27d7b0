import { z } from "zod"
import {
  instructionsPreview,
  type Assistant,
  type AssistantDraft,
  type AssistantEntry,
  type AssistantPatch,
  type PermissionMode,
} from "../../../shared/contract/assistants.ts"
import type { Undo } from "../../../shared/contract/deletions.ts"
import { AppError, invalidField } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { paginate, type Page, type Pagination } from "../../../shared/contract/primitives.ts"
import type { DbOf } from "../../core/database/database.ts"
import { readStored } from "../../core/database/stored-json.ts"
import type { Deletable, NoteDeletion } from "../../core/deletable.ts"
import { newId, timestamp } from "../../core/ids.ts"
import { requireFolderScope, type Caller } from "../../http/caller.ts"
import { deriveHandle, freeHandle } from "./handle.ts"
import {
  createAssistantStore,
  newRow,
  storedFlags,
  storedIds,
  storedSuggestions,
  toColumns,
  type AssistantRow,
} from "./store.ts"
import { fillIn } from "./variables.ts"

/** Of one person. */
const mostAssistants = 1_000
const mostDelegates = 30

/** Of a deleted one, to bring it back: others may be given its handle meanwhile. */
const Kept = z.object({ handle: z.string() })

export interface FolderName {
  id: string
  name: string
  description: string
}

export interface AssistantsDeps {
  db: DbOf<"assistants">
  /** Ids of everyone who shares a workspace with the user, the user included. */
  colleagues(userId: string): Promise<string[]>
  /** Those of the folders that don't exist or that the user may not search. */
  unusableFolders(userId: string, vectorIds: readonly string[]): Promise<string[]>
  /** Names of those of the folders that exist and that the user may search now. */
  folderNames(userId: string, vectorIds: readonly string[]): Promise<FolderName[]>
  userName(userId: string): Promise<string>
  /** Deletes the box's copy of a picture on the web. */
  forgetPicture(url: string): Promise<void>
  /** Those of the tool keys that the user's box doesn't know. */
  unknownTools(userId: string, keys: readonly string[]): Promise<string[]>
  noteDeletion: NoteDeletion
}

/** Who writes an assistant, and with which rights. */
export type AssistantEditor = Pick<Caller, "userId" | "scopes">

/** What an answer needs of its assistant. */
export interface ChatAssistant {
  id: string
  name: string
  /** With the date and the caller's name filled in. */
  instructions: string
  vectorIds: string[]
  builtInTools: Record<string, boolean>
  /** As its owner set it: `bypass` waives nobody else's questions. */
  permissionMode: PermissionMode
  owned: boolean
}

/** Assistants (interface.md 2.1, 4.1; decisions.md 5): sharing one grants its use, never its editing. */
export interface Assistants {
  list(
    userId: string,
    page: Page,
    search?: string,
  ): Promise<{ assistants: AssistantEntry[]; pagination: Pagination }>
  /** Throws `not_found`, also for one that the user may not use. */
  read(userId: string, id: string): Promise<Assistant>
  /** The handle that a name would get now; `free` when nothing had to be added. The assistant's own counts as free. */
  handleFor(userId: string, wanted: string, id?: string): Promise<{ handle: string; free: boolean }>
  /**
   * Throws `forbidden` naming folders the caller may not search or for what only full rights may set, `handle_taken`, or
   * `conflict` when there are too many.
   */
  create(caller: AssistantEditor, draft: AssistantDraft): Promise<Assistant>
  /** Owner only: `not_found` for everyone else. */
  update(caller: AssistantEditor, id: string, patch: AssistantPatch): Promise<Assistant>
  remove(userId: string, id: string): Promise<Undo>
  /** How a deleted one is brought back, or goes for good. */
  readonly deletable: Deletable
  /** What chat needs of an assistant that the user may use; null when there is none. Throws `assistant_disabled`. */
  forChat(userId: string, id: string): Promise<ChatAssistant | null>
  /** Assistants that are switched on and that the user may use, by when they were made. */
  delegates(userId: string): Promise<{ id: string; handle: string; description: string }[]>
  /** Names of those of the assistants that there are, whosever they are, by id. */
  names(ids: readonly string[]): Promise<ReadonlyMap<string, string>>
}

export function createAssistants({
  db,
  colleagues,
  unusableFolders,
  folderNames,
  userName,
  forgetPicture,
  unknownTools,
  noteDeletion,
}: AssistantsDeps): Assistants {
  const store = createAssistantStore(db)
  const missing = () => new AppError("not_found", sentence("assistants.not_yours"))
  const find = async (userId: string, id: string) => store.find(userId, await colleagues(userId), id)

  async function requireFolders(
    userId: string,
    vectorIds: readonly string[] | null | undefined,
  ): Promise<void> {
    if (!vectorIds || vectorIds.length === 0) return
    const details = await unusableFolders(userId, vectorIds)
    if (details.length === 0) return
    throw new AppError("forbidden", sentence("assistants.folders_not_yours"), {
      details,
    })
  }

  /** Servers of users' own come and go, so that the contract can't name their keys. */
  async function requireTools(userId: string, flags: AssistantPatch["builtInTools"]): Promise<void> {
    const [unknown] = await unknownTools(userId, Object.keys(flags ?? {}))
    if (unknown === undefined) return
    throw invalidField(`builtInTools.${unknown}`, sentence("assistants.not_a_tool", { tool: unknown }))
  }

  /** The assistant searches what its owner may search: a folder that isn't shared with the owner any more is out. */
  const foldersOf = (row: AssistantRow) => folderNames(row.ownerId, storedIds(row))

  /** Without servers that the owner removed: their keys would be refused when they are sent back. */
  async function toolsOf(row: AssistantRow): Promise<Record<string, boolean>> {
    const flags = storedFlags(row)
    const removed = await unknownTools(row.ownerId, Object.keys(flags))
    return Object.fromEntries(Object.entries(flags).filter(([key]) => !removed.includes(key)))
  }

  async function present(row: AssistantRow, userId: string): Promise<Assistant> {
    const folders = await foldersOf(row)
    const ownerName = await userName(row.ownerId)
    const byId = new Map(folders.map((folder) => [folder.id, folder]))
    return toAssistant(row, userId, ownerName, byId, await toolsOf(row))
  }

  const handleTaken = (handle: string) =>
    new AppError("handle_taken", sentence("assistants.handle_taken", { handle }))

  return {
    async list(userId, page, search) {
      const { total, rows } = await store.list(userId, await colleagues(userId), page, search)
      const entries: AssistantEntry[] = []
      for (const row of rows) entries.push(toEntry(await present(row, userId)))
      return { assistants: entries, pagination: paginate(total, page, rows.length) }
    },

    async read(userId, id) {
      const row = await find(userId, id)
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
      requireFolderScope(caller, draft.vectorIds)
      requireRightToWaive(caller, draft.permissionMode === "bypass")
      await requireFolders(userId, draft.vectorIds)
      await requireTools(userId, draft.builtInTools)
      const row = await store.transaction(async (trx) => {
        const base = draft.handle ?? deriveHandle(draft.name)
        const taken = await store.handlesLike(trx, base)
        if (draft.handle && taken.has(draft.handle)) throw handleTaken(draft.handle)
        if ((await store.countOwned(trx, userId)) >= mostAssistants)
          throw new AppError("conflict", sentence("assistants.too_many", { count: mostAssistants }))
        const created = newRow(newId(), userId, draft.name, draft, freeHandle(base, taken))
        await trx.insertInto("assistants").values(created).execute()
        return created
      })
      return present(row, userId)
    },

    async update(caller, id, patch) {
      const { userId } = caller
      const before = await store.owned(userId, id)
      if (!before) throw missing()
      requireFolderScope(caller, patch.vectorIds)
      requireRightToWaive(caller, patch.permissionMode === "bypass" || saysMore(before, patch))
      await requireFolders(userId, patch.vectorIds)
      await requireTools(userId, patch.builtInTools)
      await store.transaction(async (trx) => {
        const changes = { ...toColumns(patch), updatedAt: timestamp() }
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
      return present(after, userId)
    },

    async remove(userId, id) {
      const row = await store.owned(userId, id)
      if (!row) throw missing()
      const kept = JSON.stringify({ handle: row.handle } satisfies z.infer<typeof Kept>)
      return store.transaction(async (trx) => {
        if (!(await store.hide(trx, id))) throw missing()
        return noteDeletion(trx, { ownerId: userId, kind: "assistant", itemId: id, kept })
      })
    },

    deletable: {
      restore: ({ itemId, kept }, also) =>
        store.transaction(async (trx) => {
          await also(trx)
          const handle = readStored(Kept, kept)?.handle ?? deriveHandle("")
          await store.show(trx, itemId, freeHandle(handle, await store.handlesLike(trx, handle)))
        }),

      async end({ itemId }) {
        const picture = await store.remove(itemId)
        if (picture !== null) await forgetPicture(picture)
      },
    },

    async forChat(userId, id) {
      const row = await find(userId, id)
      if (!row) return null
      if (row.enabled === 0) {
        throw new AppError("assistant_disabled", sentence("assistants.disabled", { name: row.name }))
      }
      const folders = await foldersOf(row)
      const owned = row.ownerId === userId
      return {
        id: row.id,
        name: row.name,
        instructions: fillIn(row.instructions, { user: await userName(userId), now: new Date() }),
        vectorIds: folders.map((folder) => folder.id),
        builtInTools: await toolsOf(row),
        permissionMode: row.permissionMode,
        owned,
      }
    },

    async delegates(userId) {
      const rows = await store.enabled(userId, await colleagues(userId), mostDelegates)
      return rows.map(({ id, handle, description, ownerId }) => ({
        id,
        handle,
        description: ownerId === userId ? description : "",
      }))
    },

    names: store.names,
  }
}

/** Throws `forbidden` where a key with scopes would have an assistant act without questions. */
function requireRightToWaive({ scopes }: AssistantEditor, waives: boolean): void {
  if (!waives || scopes === null) return
  throw new AppError("forbidden", sentence("assistants.not_without_asking"))
}

/** Whether an assistant that asks nobody, and stays so, is told other things to do, or gets other means for it. */
const saysMore = (
  { permissionMode: mode }: AssistantRow,
  { permissionMode, instructions, builtInTools, vectorIds }: AssistantPatch,
): boolean =>
  mode === "bypass" &&
  permissionMode === undefined &&
  [instructions, builtInTools, vectorIds].some((change) => change !== undefined)

function toAssistant(
  row: AssistantRow,
  userId: string,
  ownerName: string,
  folders: ReadonlyMap<string, FolderName>,
  builtInTools: Assistant["builtInTools"],
): Assistant {
  const vectors = storedIds(row).flatMap((id) => folders.get(id) ?? [])
  const { foldedName: _, ownerId, updatedAt: __, removed: ___, ...columns } = row
  return {
    ...columns,
    vectorIds: vectors.map((folder) => folder.id),
    vectors,
    builtInTools,
    suggestions: storedSuggestions(row),
    enabled: row.enabled === 1,
    owned: ownerId === userId,
    ownerName,
  }
}

function toEntry({ instructions, ...assistant }: Assistant): AssistantEntry {
  const beginning = Array.from(instructions.slice(0, 2 * instructionsPreview))
  return { ...assistant, instructions: beginning.slice(0, instructionsPreview).join("") }
}
