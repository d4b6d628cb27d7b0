import type { Attachment } from "../../../../../shared/contract/chat.ts"
import type { FileEntry } from "../../../../../shared/contract/files.ts"
import type { Upload } from "./attachment-store.ts"

/** A file of a message, as far as it is shown. */
export type ShownFile = Pick<Attachment, "fileId" | "name">

export interface NewFiles {
  /** When the newest message that is stored was written; undefined where there is none. */
  since: string | undefined
  /** Files of the message that is asked differently. */
  own: readonly string[]
  /** Files of the messages that are shown and of questions that wait. */
  taken: ReadonlySet<string>
}

/** What goes along with a question: what came since the newest message, and what the question had when it was asked before. */
export const filesOfQuestion = (files: readonly FileEntry[], wanted: NewFiles): ShownFile[] =>
  files
    .filter((file) => wanted.own.includes(file.id) || isNew(file, wanted))
    .map(({ id, name }) => ({ fileId: id, name }))

/** Whether a file has come since the newest message and goes along with no question yet. */
export const isNew = (
  { id, createdAt }: Pick<FileEntry, "id" | "createdAt">,
  { since, taken }: Pick<NewFiles, "since" | "taken">,
): boolean => !taken.has(id) && (since === undefined || createdAt > since)

/**
 * The files of a list, without those that are still shown as uploads: the list may have a file before its upload is answered. Where its
 * name is taken, the box gives it a number.
 */
export function withoutUploads<Entry extends Pick<FileEntry, "name" | "size" | "createdAt">>(
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
