import type { Attachment } from "../../../../../shared/contract/chat.ts"
import type { FileEntry } from "../../../../../shared/contract/files.ts"
import type { Upload } from "./attachment-store.ts"

/** A message's file, with only the properties that are shown. */
export type ShownFile = Pick<Attachment, "fileId" | "name">

export interface NewFiles {
  /** When the newest stored message was written; undefined if there is none. */
  since: string | undefined
  /** Files of the message being edited. */
  own: readonly string[]
  /** Files of visible messages and of queued questions. */
  taken: ReadonlySet<string>
}

/** Returns the files to send with a question: those added since the newest message, and those the question already had. */
export const filesOfQuestion = (files: readonly FileEntry[], wanted: NewFiles): ShownFile[] =>
  files
    .filter((file) => wanted.own.includes(file.id) || isNew(file, wanted))
    .map(({ id, name }) => ({ fileId: id, name }))

/** Whether a file was added since the newest message and belongs to no question yet. */
export const isNew = (
  { id, createdAt }: Pick<FileEntry, "id" | "createdAt">,
  { since, taken }: Pick<NewFiles, "since" | "taken">,
): boolean => !taken.has(id) && (since === undefined || createdAt > since)

/**
 * Returns the files of a list without those still shown as uploads, because a file may be listed before its upload is confirmed. If its
 * name is taken, the box adds a number.
 */
export function excludeUploads<Entry extends Pick<FileEntry, "name" | "size" | "createdAt">>(
  files: readonly Entry[],
  uploads: readonly Upload[],
): Entry[] {
  const rest = files.toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
  for (const { file, failure } of uploads) {
    if (failure !== undefined) continue
    const stem = file.name.replace(/\.[^.]*$/, "")
    const index = rest.findIndex(({ name, size }) => size === file.size && name.startsWith(stem))
    if (index !== -1) rest.splice(index, 1)
  }
  return files.filter((file) => rest.includes(file))
}
