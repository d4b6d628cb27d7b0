import {
  instructionsPreview,
  type Assistant,
  type AssistantEntry,
  type PermissionMode,
} from "../../../shared/contract/assistants.ts"
import { lazy } from "../../core/lazy.ts"
import { storedFlags, storedIds, storedSuggestions, type AssistantRow } from "./store.ts"

interface FolderName {
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
  const { foldedName: _, ownerId, updatedAt: __, removed: ___, writtenByScopedKey, ...columns } = row
  return {
    ...columns,
    vectorIds: vectors.map((folder) => folder.id),
    vectors,
    builtInTools,
    suggestions: storedSuggestions(row),
    enabled: row.enabled === 1,
    owned: ownerId === userId,
    ownerName,
    ...(writtenByScopedKey === 1 && { writtenByScopedKey: true }),
  }
}

/** Returns the assistant as a list entry, with the start of its instructions. */
export function toEntry({ instructions, ...assistant }: Assistant): AssistantEntry {
  const beginning = Array.from(instructions.slice(0, 2 * instructionsPreview))
  return { ...assistant, instructions: beginning.slice(0, instructionsPreview).join("") }
}

/** Variables that instructions may contain in braces, as listed in `docs/assistants.md`. */
interface Variables {
  /** Name of the user who asks. */
  user: string
  now: Date
}

const named = /\{\{\{\{(date|user)\}\}\}\}|\{\{(date|user)\}\}/g

/**
 * Replaces `{{date}}` and `{{user}}` in instructions by today's date and the user's name, and `{{{{date}}}}` and `{{{{user}}}}` by the
 * variables themselves; other braces are kept. There is no variable for the time of day: the start of a prompt must stay the same, so that
 * a chat is evaluated only once.
 */
export function fillIn(instructions: string, { user, now }: Variables): string {
  return instructions.replace(named, (_, doubled: string | undefined, name: string | undefined) => {
    if (doubled !== undefined) return `{{${doubled}}}`
    return name === "date" ? longDate().format(now) : user.replace(/\s+/g, " ")
  })
}

/** In this computer's time zone. */
const longDate = lazy(
  () => new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "long", year: "numeric" }),
)

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
  /** Whether it is the user's own and a key with scopes was the last to write it. */
  isByScopedKey: boolean
}
