import { rmdir, stat } from "node:fs/promises"
import { basename } from "node:path"
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
  /** The chat whose attachments it holds. */
  chatId: string | null
  createdAt: string
}

/** Stores a new folder, on a directory of the box's own unless the draft names one. Throws what `create` of folders throws for that. */
export async function storeNewFolder(
  { draft, ownerId, chatId, createdAt }: NewFolder,
  store: Pick<FolderStore, "insert">,
  dataDir: string,
): Promise<FolderRow> {
  const id = newId()
  const watched = draft.folder ? await checkWatchedDirectory(draft.folder, dataDir) : null
  const path = watched ?? (await makeDirectoryInside(dataDir, [basename(managedFoldersPath(dataDir)), id]))
  const { dev, ino } = await stat(path, { bigint: true })
  const row: FolderRow = {
    id,
    ownerId,
    name: draft.name,
    description: draft.description ?? "",
    path,
    managed: watched === null ? 1 : 0,
    device: String(dev),
    inode: String(ino),
    topK: draft.topK ?? defaults.topK,
    filter: draft.filter ?? defaults.filter,
    strategy: draft.strategy ?? defaults.strategy,
    pipeline: draft.pipeline ?? defaults.pipeline,
    visibility: draft.visibility ?? defaults.visibility,
    remote: draft.remote ?? defaults.remote,
    iconName: draft.iconName ?? null,
    accentColor: draft.accentColor ?? null,
    paused: 0,
    removed: 0,
    chatId,
    createdAt,
    updatedAt: createdAt,
  }
  await store.insert(row).catch(async (error: unknown) => {
    if (watched === null) await rmdir(path)
    throw error
  })
  return row
}

/** `null` clears an optional field, which means its default. */
export function toChange(patch: FolderPatch): Partial<FolderRow> {
  const { name, description, topK, filter, strategy, visibility, remote, iconName, accentColor, paused } =
    patch
  return {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description: description ?? "" }),
    ...(topK === undefined ? {} : { topK: topK ?? defaults.topK }),
    ...(filter === undefined ? {} : { filter: filter ?? defaults.filter }),
    ...(strategy === undefined ? {} : { strategy: strategy ?? defaults.strategy }),
    ...(visibility === undefined ? {} : { visibility: visibility ?? defaults.visibility }),
    ...(remote === undefined ? {} : { remote: remote ?? defaults.remote }),
    ...(iconName === undefined ? {} : { iconName }),
    ...(accentColor === undefined ? {} : { accentColor }),
    ...(paused === undefined ? {} : { paused: paused ? 1 : 0 }),
  }
}
