import type { Attachment } from "../../../../../shared/contract/chat.ts"
import type { FileEntry } from "../../../../../shared/contract/files.ts"

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
