import type { PermissionMode } from "../../../shared/contract/assistants.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { Presenting } from "./presenting.ts"
import type { AssistantStore } from "./store.ts"
import { fillIn } from "./variables.ts"

const mostDelegates = 30

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
  modelId: string | null
  owned: boolean
}

interface InChatDeps {
  store: Pick<AssistantStore, "find" | "enabled">
  presenting: Pick<Presenting, "foldersOf" | "toolsOf">
  colleagues(userId: string): Promise<string[]>
  userName(userId: string): Promise<string>
}

export interface AssistantsInChat {
  /** What chat needs of an assistant that the user may use; null when there is none. Throws `assistant_disabled`. */
  forChat(userId: string, id: string): Promise<ChatAssistant | null>
  /** Assistants that are switched on and that the user may use, by when they were made. */
  delegates(userId: string): Promise<{ id: string; handle: string; description: string }[]>
}

/** What answers are made with. */
export function assistantsInChat({ store, presenting, colleagues, userName }: InChatDeps): AssistantsInChat {
  return {
    async forChat(userId, id) {
      const row = await store.find(userId, await colleagues(userId), id)
      if (!row) return null
      if (row.enabled === 0) {
        throw new AppError("assistant_disabled", sentence("assistants.disabled", { name: row.name }))
      }
      const folders = await presenting.foldersOf(row)
      const owned = row.ownerId === userId
      return {
        id: row.id,
        name: row.name,
        instructions: fillIn(row.instructions, { user: await userName(userId), now: new Date() }),
        vectorIds: folders.map((folder) => folder.id),
        builtInTools: await presenting.toolsOf(row),
        permissionMode: row.permissionMode,
        modelId: row.modelId,
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
  }
}
