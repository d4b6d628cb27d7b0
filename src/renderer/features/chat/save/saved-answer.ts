import type { Source } from "../../../../shared/contract/chat.ts"

/** An answer to be saved as a document. */
export interface SavedAnswer {
  /** A single line. */
  title: string
  /** Markdown. */
  text: string
  sources: readonly Source[]
}
