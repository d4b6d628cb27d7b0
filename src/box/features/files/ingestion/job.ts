import type { WaitingPages } from "./waiting-pages.ts"

/** A file being indexed. `revision` identifies its content: results for an older revision are discarded. */
export interface Job {
  fileId: string
  folderId: string
  /** Owner of the folder. */
  ownerId: string
  root: string
  pipeline: "full" | "light"
  name: string
  subFolder: string
  size: number
  storage: "local" | "cloud"
  /** Key of its bytes in an object store; null if they are in a directory. */
  object: string | null
  revision: number
  attempts: number
  priority: number
  /** Set if the first of these pages is to be read with OCR, because everything else has already been read. */
  waiting: WaitingPages | null
}
