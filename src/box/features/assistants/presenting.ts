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
  /** Names of those of the folders that exist and that the user may search now. */
  folderNames(userId: string, vectorIds: readonly string[]): Promise<FolderName[]>
  userName(userId: string): Promise<string>
  /** Those of the tool keys that the user's box doesn't know. */
  unknownTools(userId: string, keys: readonly string[]): Promise<string[]>
}

export type Presenting = ReturnType<typeof createPresenting>

/** Assistants as they are now: without folders and tools that their owner has lost since. */
export function createPresenting({ folderNames, userName, unknownTools }: PresentingDeps) {
  /** The assistant searches what its owner may search: a folder that isn't shared with the owner any more is out. */
  const foldersOf = (row: AssistantRow) => folderNames(row.ownerId, storedIds(row))

  /** Without servers that the owner removed: their keys would be refused when they are sent back. */
  async function toolsOf(row: AssistantRow): Promise<Record<string, boolean>> {
    const flags = storedFlags(row)
    const removed = await unknownTools(row.ownerId, Object.keys(flags))
    return Object.fromEntries(Object.entries(flags).filter(([key]) => !removed.includes(key)))
  }

  /** As the user sees it. */
  async function present(row: AssistantRow, userId: string): Promise<Assistant> {
    const folders = await foldersOf(row)
    const ownerName = await userName(row.ownerId)
    const byId = new Map(folders.map((folder) => [folder.id, folder]))
    return toAssistant(row, userId, ownerName, byId, await toolsOf(row))
  }

  return { foldersOf, toolsOf, present }
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

/** As lists show it: with the beginning of its instructions. */
export function toEntry({ instructions, ...assistant }: Assistant): AssistantEntry {
  const beginning = Array.from(instructions.slice(0, 2 * instructionsPreview))
  return { ...assistant, instructions: beginning.slice(0, instructionsPreview).join("") }
}
