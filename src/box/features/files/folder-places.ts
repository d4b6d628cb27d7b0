import type { AnyTransaction } from "../../core/database/database.ts"
import type { ReadingOptions } from "../../parsers/readers.ts"

/** Identifies a directory, so that another one at the same path is recognised, such as the mount point of a missing drive. */
export interface Directory {
  device: string
  inode: string
}

/** The last known identity of a directory. Earlier versions stored only the device. */
export interface KnownDirectory {
  device: string
  inode: string | null
}

/** A folder as background work sees it. A deleted folder is paused until nothing of it is left. */
export interface StoredFolder extends ReadingOptions {
  id: string
  ownerId: string
  /** Absolute path of the directory. */
  path: string
  /** Whether the box created the directory, so that no one else changes files in it. */
  managed: boolean
  pipeline: "full" | "light"
  paused: boolean
  /** The directory at the previous scan; null before the first one. */
  directory: KnownDirectory | null
}

/** Access to all folders, regardless of their owners. */
export interface StoredFolders {
  all(): Promise<StoredFolder[]>
  /** Returns the folders that aren't paused. */
  active(): Promise<StoredFolder[]>
  find(folderId: string): Promise<StoredFolder | undefined>
  /** Creates a hidden folder like this one, which holds a deleted file until its deletion can't be undone. Returns its ID. */
  makeHidden(transaction: AnyTransaction, folderId: string): Promise<string>
  removeHidden(transaction: AnyTransaction, hiddenId: string): Promise<void>
  setDirectory(folderId: string, directory: Directory): Promise<void>
}
