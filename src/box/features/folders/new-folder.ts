import { rmdir, stat } from "node:fs/promises"
import { basename, join } from "node:path"
import type { FolderDraft, FolderPatch } from "../../../shared/contract/folders.ts"
import { managedFoldersPath } from "../../core/data-layout.ts"
import { makeDirectoryInside } from "../../core/files/path-jail.ts"
import { newId } from "../../core/ids.ts"
import type { FolderRow, FolderStore } from "./store.ts"
import { checkWatchedDirectory } from "./watched-directory.ts"

const defaults = {
  topK: 8,
  filter: 0,
  strategy: "hybrid",
  visibility: "PRIVATE",
  remote: "allowed",
  pipeline: "full",
} as const

interface NewFolder {
  draft: FolderDraft
  ownerId: string
  /** The chat whose attachments the folder contains. */
  chatId: string | null
  createdAt: string
}

/**
 * Stores a new folder, in a managed directory unless the draft names one. Throws the same errors for the directory as `create` of folders.
 */
export async function storeNewFolder(
  { draft, ownerId, chatId, createdAt }: NewFolder,
  store: Pick<FolderStore, "insert">,
  { dataDir, hasOwnDirectories }: { dataDir: string; hasOwnDirectories: boolean },
): Promise<FolderRow> {
  const id = newId()
  const watched = draft.folder ? await checkWatchedDirectory(draft.folder, dataDir) : null
  const names = [basename(managedFoldersPath(dataDir)), id]
  const isDirectory = watched !== null || hasOwnDirectories
  const made = isDirectory && watched === null ? await makeDirectoryInside(dataDir, names) : null
  const path = watched ?? made ?? join(dataDir, ...names)
  const { dev, ino } = isDirectory ? await stat(path, { bigint: true }) : { dev: null, ino: null }
  const row: FolderRow = {
    id,
    ownerId,
    name: draft.name,
    description: draft.description ?? "",
    path,
    heldPath: null,
    managed: watched === null ? 1 : 0,
    device: dev === null ? null : String(dev),
    inode: ino === null ? null : String(ino),
    topK: draft.topK ?? defaults.topK,
    filter: draft.filter ?? defaults.filter,
    strategy: draft.strategy ?? defaults.strategy,
    pipeline: draft.pipeline ?? defaults.pipeline,
    visibility: draft.visibility ?? defaults.visibility,
    remote: draft.remote ?? defaults.remote,
    includeGenerated: draft.includeGenerated === true ? 1 : 0,
    iconName: draft.iconName ?? null,
    accentColor: draft.accentColor ?? null,
    paused: 0,
    removed: 0,
    chatId,
    createdAt,
    updatedAt: createdAt,
  }
  await store.insert(row).catch(async (error: unknown) => {
    if (made !== null) await rmdir(made)
    throw error
  })
  return row
}

/** `null` resets an optional field to its default. */
export function toChange(patch: FolderPatch): Partial<FolderRow> {
  const { name, description, topK, filter, strategy, visibility, remote } = patch
  const { includeGenerated, iconName, accentColor, paused } = patch
  return {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description: description ?? "" }),
    ...(topK === undefined ? {} : { topK: topK ?? defaults.topK }),
    ...(filter === undefined ? {} : { filter: filter ?? defaults.filter }),
    ...(strategy === undefined ? {} : { strategy: strategy ?? defaults.strategy }),
    ...(visibility === undefined ? {} : { visibility: visibility ?? defaults.visibility }),
    ...(remote === undefined ? {} : { remote: remote ?? defaults.remote }),
    ...(includeGenerated === undefined ? {} : { includeGenerated: includeGenerated === true ? 1 : 0 }),
    ...(iconName === undefined ? {} : { iconName }),
    ...(accentColor === undefined ? {} : { accentColor }),
    ...(paused === undefined ? {} : { paused: paused ? 1 : 0 }),
  }
}
