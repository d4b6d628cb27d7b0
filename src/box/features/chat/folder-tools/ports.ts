import type { FileEntry } from "../../../../shared/contract/files.ts"
import type { GeneratedFiles } from "../../../core/files/generated-files.ts"
import type { Block } from "../../../parsers/parser.ts"
import type { ToolContext } from "../../../tools/tool.ts"

/** A folder that an answer may read. It is read with its owner's rights, because the user may have access only through an assistant. */
export interface ReachedFolder {
  id: string
  name: string
  ownerId: string
  /** The files in it written by a model that the answer may read. */
  generated: GeneratedFiles
}

/** Reads folders for an answer's tools. Files written by a model are hidden unless they are in `generated`. */
export interface FolderReading {
  /** Returns those of the folders that still exist and that the user may see or was granted. */
  reached(
    answer: Pick<ToolContext, "userId" | "folderIds" | "generated">,
    granted: readonly string[],
  ): Promise<ReachedFolder[]>
  files(
    folder: ReachedFolder,
    query: { limit: number; offset: number; search?: string | undefined },
  ): Promise<{ total: number; files: FileEntry[] }>
  /** Returns the folder of a file, regardless of its owner; null if there is no such file. */
  getFolder(fileId: string): Promise<string | null>
  /** Throws `not_found`. */
  file(folder: ReachedFolder, fileId: string): Promise<FileEntry>
  /** Throws `conflict` while the file isn't completely indexed. */
  text(folder: ReachedFolder, fileId: string): Promise<AsyncIterable<Block[]>>
  /** Sheets that can be queried by SQL. */
  tables: FolderTables
}

export interface FolderTables {
  /** Returns the tables created so far, and the files without tables, or without tables yet. */
  list(
    folder: ReachedFolder,
    signal: AbortSignal,
  ): Promise<{ tables: readonly FolderTable[]; without: readonly { fileName: string; why: string }[] }>
  /**
   * Runs one read-only SELECT. Returns its answer and the tables that it may use. Throws an error that describes what is wrong with the
   * query.
   */
  query(
    folder: ReachedFolder,
    sql: string,
    options: { signal: AbortSignal },
  ): Promise<{ answer: TableAnswer; tables: readonly FolderTable[] }>
}

export interface FolderTable {
  id: string
  fileId: string
  fileName: string
  /** null if the file itself is the table. */
  sheet: string | null
  /** Name in SQL. */
  name: string
  columns: readonly TableColumn[]
}

export interface TableAnswer {
  columns: readonly TableColumn[]
  rows: readonly unknown[][]
  truncated: boolean
}

interface TableColumn {
  name: string
  type: string
}
