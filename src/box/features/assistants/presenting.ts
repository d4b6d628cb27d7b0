import {
  instructionsPreview,
  type Assistant,
  type AssistantEntry,
} from "../../../shared/contract/assistants.ts"
import { storedFlags, storedIds, storedSuggestions, type AssistantRow } from "./store.ts"

export interface FolderName {
  id: string
  name: string
  description: string
}

export interface PresentingDeps {
  /** Returns the names of those of the folders that exist and that the user may currently search. */
  folderNames(userId: string, vectorIds: readonly string[]): Promise<FolderName[]>
  userName(userId: string): Promise<string>
  /** Returns those of the tool keys that the user's box doesn't know. */
  unknownTools(userId: string, keys: readonly string[]): Promise<string[]>
}

export type Presenter = ReturnType<typeof createPresenter>

/** Presents assistants without folders and tools that their owner no longer has. */
export function createPresenter({ folderNames, userName, unknownTools }: PresentingDeps) {
  /** An assistant searches only what its owner may search, so a folder that is no longer shared with the owner is left out. */
  const getFolders = (row: AssistantRow) => folderNames(row.ownerId, storedIds(row))

  /** Leaves out servers that the owner removed, because their keys would be refused when sent back. */
  async function getTools(row: AssistantRow): Promise<Record<string, boolean>> {
    const flags = storedFlags(row)
    const removed = await unknownTools(row.ownerId, Object.keys(flags))
    return Object.fromEntries(Object.entries(flags).filter(([key]) => !removed.includes(key)))
  }

  /** Returns the assistant as the user sees it. */
  async function present(row: AssistantRow, userId: string): Promise<Assistant> {
    const folders = await getFolders(row)
    const ownerName = await userName(row.ownerId)
    const byId = new Map(folders.map((folder) => [folder.id, folder]))
    return toAssistant(row, userId, ownerName, byId, await getTools(row))
  }

  return { getFolders, getTools, present }
}

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

/** Returns the assistant as a list entry, with the start of its instructions. */
export function toEntry({ instructions, ...assistant }: Assistant): AssistantEntry {
  const beginning = Array.from(instructions.slice(0, 2 * instructionsPreview))
  return { ...assistant, instructions: beginning.slice(0, instructionsPreview).join("") }
}
