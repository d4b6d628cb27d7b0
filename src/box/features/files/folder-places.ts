import type { BegunTransaction } from "../../core/database/database.ts"

/** Tells a directory from another one that comes to stand at its path, such as the one on which a drive was mounted. */
export interface Directory {
  device: string
  inode: string
}

/** A directory as it was known last; an earlier Casella knew only the device. */
export interface KnownDirectory {
  device: string
  inode: string | null
}

/** A folder for what works on its files by itself; one that is deleted is paused, until nothing of it is left. */
export interface FolderPlace {
  id: string
  ownerId: string
  /** Absolute directory. */
  path: string
  /** The box made the directory, and nobody else exchanges files in it. */
  managed: boolean
  pipeline: "full" | "light"
  paused: boolean
  /** The directory when it was last looked through, null until then. */
  directory: KnownDirectory | null
}

/** What files need to know of all folders, whosever they are. */
export interface FolderPlaces {
  all(): Promise<FolderPlace[]>
  /** Those that aren't paused. */
  active(): Promise<FolderPlace[]>
  find(folderId: string): Promise<FolderPlace | undefined>
  /** Makes a hidden folder like this one, for a file that was deleted from it until that can't be undone. Answers its id. */
  makeHidden(transaction: BegunTransaction, folderId: string): Promise<string>
  removeHidden(transaction: BegunTransaction, hiddenId: string): Promise<void>
  setDirectory(folderId: string, directory: Directory): Promise<void>
}
