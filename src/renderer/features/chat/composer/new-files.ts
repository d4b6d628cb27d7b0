import type { Attachment } from "../../../../shared/contract/chat.ts"
import type { FileEntry } from "../../../../shared/contract/files.ts"

/** A file of a message, as far as it is shown. */
export type ShownFile = Pick<Attachment, "fileId" | "name">

export interface NewFiles {
  /** When the newest message that is stored was written; undefined where there is none. */
  since: string | undefined
  /** Files of the message that is asked differently. */
  own: readonly string[]
}

/** What goes along with a question: what came since the newest message, and what the question had when it was asked before. */
export const filesOfQuestion = (files: readonly FileEntry[], { since, own }: NewFiles): ShownFile[] =>
  files
    .filter(({ id, createdAt }) => own.includes(id) || since === undefined || createdAt > since)
    .map(({ id, name }) => ({ fileId: id, name }))
