import type { FileEntry } from "../../../../shared/contract/files.ts"
import type { StoredPassage } from "../../../../shared/contract/folders.ts"
import type { GeneratedFiles } from "../../../core/files/generated-files.ts"
import type { Block } from "../../../parsers/parser.ts"

/** A file as reading needs to know it. */
export type LibraryFile = Pick<
  FileEntry,
  "id" | "name" | "relativePath" | "status" | "error" | "note" | "reasons" | "updatedAt"
>

/** Who reads. */
export interface Reader {
  userId: string
  /** Folders of the assistant that is asked: they are read with their owners' rights, as they are searched. */
  granted: readonly string[]
  /** Files written by a model that are read, as well as those that a folder includes. */
  generated: GeneratedFiles
}

export interface PendingFiles {
  count: number
  files: readonly LibraryFile[]
}

/** The files that questions are about, as far as whoever asks may read them. */
export interface ReadingLibrary {
  /** Every file of a folder that is read, in an order that stays. */
  files(reader: Reader, folderId: string): Promise<LibraryFile[]>
  /** How many files of folders are still being indexed, and the first of them; none of a folder that can't be read any more. */
  pending(reader: Reader, folderIds: readonly string[], most: number): Promise<PendingFiles>
  /** A file, in whatever folder; null where there is none, or none that the user may read. */
  file(userId: string, fileId: string): Promise<LibraryFile | null>
  /** Its text in reading order. Throws `not_found` where it is gone, `conflict` while it isn't completely indexed. */
  blocks(reader: Pick<Reader, "userId" | "granted">, file: LibraryFile): Promise<AsyncIterable<Block[]>>
  /** Characters of the texts of files that were found, by their ids; their texts aren't opened for it. */
  characters(fileIds: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** The first passages of a file that was found, in their order. */
  beginning(fileId: string, most: number): Promise<StoredPassage[]>
  /** The stored passage that a block of a file's text went into. */
  passageOf(fileId: string, block: Block): Promise<string | null>
}

/** The folder that a file lies in: its path begins with it. */
export const folderOf = ({ relativePath }: Pick<LibraryFile, "relativePath">): string =>
  relativePath.slice(0, relativePath.indexOf("/"))

/** What is read for one question. */
export interface ReadingScope extends Reader {
  vectorIds: readonly string[]
  /** In place of all that is in the folders. */
  fileIds: readonly string[] | null
}

export async function filesOf(
  library: ReadingLibrary,
  { vectorIds, fileIds, ...reader }: ReadingScope,
): Promise<LibraryFile[]> {
  const files: LibraryFile[] = []
  if (fileIds === null) for (const id of vectorIds) files.push(...(await library.files(reader, id)))
  for (const id of new Set(fileIds)) {
    const file = await library.file(reader.userId, id)
    if (file) files.push(file)
  }
  return files
}
