import type { FileEntry } from "../../../shared/contract/files.ts"
import type { Block } from "../../parsers/parser.ts"

/** A file as looking through it needs to know it. */
export type FactFile = Pick<FileEntry, "id" | "name" | "status" | "error" | "note" | "reasons" | "updatedAt">

/** Files of folders, for those who may see them: all of it throws `not_found` or `forbidden` for others. */
export interface FactLibrary {
  /** Every file of a folder, in the order of their ids. */
  files(userId: string, folderId: string): Promise<FactFile[]>
  file(userId: string, folderId: string, fileId: string): Promise<FactFile>
  /** A file's text in reading order, as it is stored. Throws `conflict` while it isn't completely indexed. */
  blocks(userId: string, folderId: string, fileId: string): Promise<AsyncIterable<Block[]>>
}
