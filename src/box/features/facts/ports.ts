import type { FileEntry } from "../../../shared/contract/files.ts"
import type { Block } from "../../parsers/parser.ts"

/** The fields of a file that reading it needs. */
export type FactFile = Pick<FileEntry, "id" | "name" | "status" | "error" | "note" | "reasons" | "updatedAt">

/** Files in folders. All methods throw `not_found` or `forbidden` for users who may not see them. */
export interface FactLibrary {
  /** Returns every file of a folder, sorted by ID. */
  files(userId: string, folderId: string): Promise<FactFile[]>
  file(userId: string, folderId: string, fileId: string): Promise<FactFile>
  /** Returns a file's stored text in reading order. Throws `conflict` while it isn't completely indexed. */
  blocks(userId: string, folderId: string, fileId: string): Promise<AsyncIterable<Block[]>>
}
