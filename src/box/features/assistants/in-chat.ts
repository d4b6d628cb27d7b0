import type { PermissionMode } from "../../../shared/contract/assistants.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { Presenter } from "./presenting.ts"
import type { AssistantStore } from "./store.ts"
import { fillIn } from "./variables.ts"

const maxDelegates = 30

/** The assistant's settings that an answer needs. */
export interface ChatAssistant {
  id: string
  name: string
  /** With the date and the caller's name filled in. */
  instructions: string
  vectorIds: string[]
  builtInTools: Record<string, boolean>
  /** As set by its owner. `bypass` waives only the owner's approvals. */
  permissionMode: PermissionMode
  modelId: string | null
  owned: boolean
}

interface InChatDeps {
  store: Pick<AssistantStore, "find" | "enabled">
  presenter: Pick<Presenter, "getFolders" | "getTools">
  colleagues(userId: string): Promise<string[]>
  userName(userId: string): Promise<string>
}

export interface AssistantsInChat {
  /** Returns the assistant's settings for a chat; null if the user can't use it. Throws `assistant_disabled`. */
  findForChat(userId: string, id: string): Promise<ChatAssistant | null>
  /** Returns enabled assistants that the user may use, in order of creation. */
  delegates(userId: string): Promise<{ id: string; handle: string; description: string }[]>
}

/** Provides assistants for answering. */
export function assistantsInChat({ store, presenter, colleagues, userName }: InChatDeps): AssistantsInChat {
  return {
    async findForChat(userId, id) {
      const row = await store.find(userId, await colleagues(userId), id)
      if (!row) return null
      if (row.enabled === 0) {
        throw new AppError("assistant_disabled", sentence("assistants.disabled", { name: row.name }))
      }
      const folders = await presenter.getFolders(row)
      const owned = row.ownerId === userId
      return {
        id: row.id,
        name: row.name,
        instructions: fillIn(row.instructions, { user: await userName(userId), now: new Date() }),
        vectorIds: folders.map((folder) => folder.id),
        builtInTools: await presenter.getTools(row),
        permissionMode: row.permissionMode,
        modelId: row.modelId,
        owned,
      }
    },

    async delegates(userId) {
      const rows = await store.enabled(userId, await colleagues(userId), maxDelegates)
      return rows.map(({ id, handle, description, ownerId }) => ({
        id,
        handle,
        description: ownerId === userId ? description : "",
      }))
    },
  }
}
