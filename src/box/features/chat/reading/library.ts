import type { FileFilter } from "../../../../shared/contract/file-filter.ts"
import type { FileEntry } from "../../../../shared/contract/files.ts"
import type { StoredPassage } from "../../../../shared/contract/folders.ts"
import type { GeneratedFiles } from "../../../core/files/generated-files.ts"
import type { Block } from "../../../parsers/parser.ts"

/** The fields of a file that reading needs. */
export type LibraryFile = Pick<
  FileEntry,
  "id" | "name" | "relativePath" | "status" | "error" | "note" | "reasons" | "updatedAt"
>

/** The user on whose behalf files are read. */
export interface Reader {
  userId: string
  /** Folders of the assistant in use. They are read with their owners' rights, as in search. */
  granted: readonly string[]
  /** Which model-written files are read in addition to those that a folder includes. */
  generated: GeneratedFiles
  /** Narrows the files that are read, apart from attachments. */
  filter?: FileFilter | null
}

export interface PendingFiles {
  count: number
  files: readonly LibraryFile[]
}

/** The files that questions are about, limited to those that the user may read. */
export interface ReadingLibrary {
  /** Returns those of the files that the reader's filter lets through, and all files that a person attached to a question. */
  filtered(reader: Reader, files: readonly LibraryFile[]): Promise<LibraryFile[]>
  /** Returns every file of a folder that is read, in a stable order. */
  files(reader: Reader, folderId: string): Promise<LibraryFile[]>
  /**
   * Returns how many files of the folders are still being indexed, and the first of them. Folders that can't be read any more are skipped.
   */
  pending(reader: Reader, folderIds: readonly string[], max: number): Promise<PendingFiles>
  /** Returns a file from any folder, or null if it doesn't exist or the user may not read it. */
  file(userId: string, fileId: string): Promise<LibraryFile | null>
  /** Returns the file's text in reading order. Throws `not_found` if the file is gone and `conflict` while it isn't completely indexed. */
  blocks(reader: Pick<Reader, "userId" | "granted">, file: LibraryFile): Promise<AsyncIterable<Block[]>>
  /** Returns the number of characters in each file's text by file ID, without opening the texts. */
  characters(fileIds: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** Returns the first passages of a file, in order. */
  beginning(fileId: string, max: number): Promise<StoredPassage[]>
  /** Returns the ID of the stored passage that contains a block of a file's text. */
  getPassage(fileId: string, block: Block): Promise<string | null>
}

/** Returns the folder that contains a file: the first segment of its path. */
export const getFolder = ({ relativePath }: Pick<LibraryFile, "relativePath">): string =>
  relativePath.slice(0, relativePath.indexOf("/"))

/** The files to read for one question. */
export interface ReadingScope extends Reader {
  vectorIds: readonly string[]
  /** If set, only these files are read instead of whole folders. */
  fileIds: readonly string[] | null
}

export async function listFiles(
  library: ReadingLibrary,
  { vectorIds, fileIds, ...reader }: ReadingScope,
): Promise<LibraryFile[]> {
  const files: LibraryFile[] = []
  if (fileIds === null) {
    for (const id of vectorIds) files.push(...(await library.files(reader, id)))
    return files
  }
  for (const id of new Set(fileIds)) {
    const file = await library.file(reader.userId, id)
    if (file) files.push(file)
  }
  return library.filtered(reader, files)
}
