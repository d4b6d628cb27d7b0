import type { BegunTransaction } from "../../core/database/database.ts"

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
export interface FolderPlace {
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
export interface FolderPlaces {
  all(): Promise<FolderPlace[]>
  /** Returns the folders that aren't paused. */
  active(): Promise<FolderPlace[]>
  find(folderId: string): Promise<FolderPlace | undefined>
  /** Creates a hidden folder like this one, which holds a deleted file until its deletion can't be undone. Returns its ID. */
  makeHidden(transaction: BegunTransaction, folderId: string): Promise<string>
  removeHidden(transaction: BegunTransaction, hiddenId: string): Promise<void>
  setDirectory(folderId: string, directory: Directory): Promise<void>
}
