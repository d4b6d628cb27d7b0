import type { Source } from "../../../../shared/contract/chat.ts"

/** An answer that is saved as a document. */
export interface SavedAnswer {
  /** In one line. */
  title: string
  /** As Markdown. */
  text: string
  sources: readonly Source[]
}
