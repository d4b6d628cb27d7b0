import type { FileCounts } from "./store.ts"

/** A file of a chat's folder, for its messages. */
export interface AttachableFile {
  fileId: string
  name: string
  size: number
  createdAt: string
}

/** What folders need of the files in them. */
export interface FolderContents {
  /** Reconciles the folder with its directory and follows it from then on. Settles when the first is begun. */
  follow(folderId: string): Promise<void>
  /** Stops following; settles when nothing works on the folder any more. */
  release(folderId: string): Promise<void>
  /** Whether the folder's directory is there with what it held, and how many files it lost if they are missed. */
  standing(folderId: string): { available: boolean; missingCount: number }
  /** Takes the files that are missed now for deleted; none when the directory isn't there. */
  forgetMissing(folderId: string): Promise<void>
  /** Removes all files, passages and index entries of a released folder; the box's own directory goes to the trash. */
  clear(folderId: string): Promise<void>
  /** Continues to index files of folders that aren't paused. */
  wakeIngestion(): void
  /** Embeds passages that the embedding model may read only now. */
  embedAgain(): void
  /** How many files the folders have, and in which state; nothing of those without any. */
  counts(folderIds: readonly string[]): Promise<ReadonlyMap<string, FileCounts>>
  /** When the newest file of each of the folders came that have any. */
  newest(folderIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  attachable(folderId: string): Promise<AttachableFile[]>
}
