import type { FileCounts } from "./store.ts"

/** A file in a chat's folder, for use in its messages. */
export interface AttachableFile {
  fileId: string
  name: string
  size: number
  createdAt: string
}

/** File operations that folders need. */
export interface FolderContents {
  /**
   * Reconciles the folder with its directory and follows the directory from then on. Resolves when the first reconciliation has started.
   */
  follow(folderId: string): Promise<void>
  /** Stops following; resolves when nothing works on the folder any more. */
  release(folderId: string): Promise<void>
  /** Whether the folder's directory is available with its known contents, and the number of missing files. */
  getAvailability(folderId: string): { available: boolean; missingCount: number }
  /** Treats the files that are currently missing as deleted; none if the directory isn't available. */
  forgetMissing(folderId: string): Promise<void>
  /** Removes all files, passages and index entries of a released folder. A managed directory goes to the trash. */
  clear(folderId: string): Promise<void>
  /** Continues to index files of folders that aren't paused. */
  wakeIngestion(): void
  /** Embeds passages that the embedding model wasn't allowed to read until now. */
  retryEmbedding(): void
  /** The number of files in the folders, by state. Folders without files are left out. */
  counts(folderIds: readonly string[]): Promise<ReadonlyMap<string, FileCounts>>
  /** The time at which the newest file of each folder was added. Folders without files are left out. */
  newest(folderIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  attachable(folderId: string): Promise<AttachableFile[]>
}
