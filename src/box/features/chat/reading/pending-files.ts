import type { AnswerNotice, AskedFile } from "../../../../shared/contract/chat.ts"
import { createNotice } from "../../../../shared/sentences/sentences.ts"
import {
  getFolder,
  type LibraryFile,
  type PendingFiles,
  type ReadingLibrary,
  type ReadingScope,
} from "./library.ts"

/** Maximum number of files that a notice names, because they are stored with each answer. */
const maxNamed = 100

export const isPending = ({ status }: Pick<LibraryFile, "status">): boolean =>
  status === "queued" || status === "processing"

/** Returns the question's files that are still being indexed. */
export async function findPending(
  library: Pick<ReadingLibrary, "pending" | "file">,
  { vectorIds, fileIds, ...reader }: ReadingScope,
): Promise<PendingFiles> {
  const pending = await library.pending(reader, vectorIds, maxNamed)
  if (fileIds === null || pending.count === 0) return pending
  const asked = await Promise.all(fileIds.map((id) => library.file(reader.userId, id)))
  const files = asked.flatMap((file) => (file && isPending(file) ? [file] : []))
  return { count: files.length, files }
}

/** Leaves out files that have been found in the meantime, because an answer that cites them doesn't lack them. */
export function withoutFound(
  { count, files }: PendingFiles,
  found: readonly { fileId: string }[],
): PendingFiles {
  const ids = new Set(found.map(({ fileId }) => fileId))
  const left = files.filter(({ id }) => !ids.has(id))
  return { count: count - (files.length - left.length), files: left }
}

/** Returns notices of the files that an answer may lack; empty if it lacks none. */
export function describePending({ count, files }: PendingFiles): AnswerNotice[] {
  const [first] = files
  if (!first) return []
  const notice =
    count === 1
      ? createNotice("file_being_read", { name: first.name })
      : createNotice("files_being_read", { count })
  return [{ ...notice, code: "files_being_read", files: files.slice(0, maxNamed).map(toAsked) }]
}

export const toAsked = (file: LibraryFile): AskedFile => ({
  fileId: file.id,
  vectorId: getFolder(file),
  name: file.name,
})
