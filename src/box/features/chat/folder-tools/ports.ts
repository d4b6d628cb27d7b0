import type { FileEntry } from "../../../../shared/contract/files.ts"
import type { GeneratedFiles } from "../../../core/files/generated-files.ts"
import type { Block } from "../../../parsers/parser.ts"
import type { ToolContext } from "../../../tools/tool.ts"

/** A folder that an answer may read. It is read with its owner's right: who asks may reach it through an assistant only. */
export interface ReachedFolder {
  id: string
  name: string
  ownerId: string
  /** The files written by a model that the answer reads in it. */
  generated: GeneratedFiles
}

/** What reads folders for an answer's tools. Other files that a model wrote than `generated` aren't there for them. */
export interface FolderReading {
  /** Those of the folders that are still there, and that the user may see or was granted. */
  reached(
    answer: Pick<ToolContext, "userId" | "folderIds" | "generated">,
    granted: readonly string[],
  ): Promise<ReachedFolder[]>
  files(
    folder: ReachedFolder,
    query: { limit: number; offset: number; search?: string | undefined },
  ): Promise<{ total: number; files: FileEntry[] }>
  /** The folder of a file, whosever it is; null when there is no such file. */
  folderOf(fileId: string): Promise<string | null>
  /** Throws `not_found`. */
  file(folder: ReachedFolder, fileId: string): Promise<FileEntry>
  /** Throws `conflict` while the file isn't completely indexed. */
  text(folder: ReachedFolder, fileId: string): Promise<AsyncIterable<Block[]>>
  /** Sheets that can be asked by SQL. */
  tables: FolderTables
}

export interface FolderTables {
  /** What is made by now, and the files that have no tables, or none yet. */
  list(
    folder: ReachedFolder,
    signal: AbortSignal,
  ): Promise<{ tables: readonly FolderTable[]; without: readonly { fileName: string; why: string }[] }>
  /** One read-only SELECT, and the tables that it may speak of. Throws what is wrong with it, in a sentence. */
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
  /** null where the file is the table. */
  sheet: string | null
  /** As SQL names it. */
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
