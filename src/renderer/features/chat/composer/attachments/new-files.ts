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
export const pickQuestionFiles = (files: readonly FileEntry[], wanted: NewFiles): ShownFile[] =>
  files
    .filter((file) => wanted.own.includes(file.id) || isNew(file, wanted))
    .map(({ id, name }) => ({ fileId: id, name }))

/** Whether a file was added since the newest message and belongs to no question yet. */
export const isNew = (
  { id, createdAt }: Pick<FileEntry, "id" | "createdAt">,
  { since, taken }: Pick<NewFiles, "since" | "taken">,
): boolean => !taken.has(id) && (since === undefined || createdAt > since)

/**
 * Returns the files of a list without the one that is still shown as an upload: the list may contain it before its upload is answered.
 * Uploads are sent one after the other. The stored name may differ, so a file is recognised by its size and extension.
 */
export function withoutUpload<Entry extends Pick<FileEntry, "name" | "size" | "createdAt">>(
  files: readonly Entry[],
  uploads: readonly Upload[],
): readonly Entry[] {
  const sent = uploads.find(({ failure }) => failure === undefined)?.file
  if (sent === undefined) return files
  const extension = /\.[^.]*$/.exec(sent.name)?.[0] ?? ""
  const twin = files
    .filter(({ name, size }) => size === sent.size && name.endsWith(extension))
    .reduce<Entry | undefined>(
      (newest, file) => (newest && newest.createdAt > file.createdAt ? newest : file),
      undefined,
    )
  return files.filter((file) => file !== twin)
}
