import type { WaitingPages } from "./waiting-pages.ts"

/** A file that is being indexed. `revision` says which of its contents: results of an older one are thrown away. */
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
  /** Key of its bytes where they are on an object store. */
  object: string | null
  revision: number
  attempts: number
  priority: number
  /** Set when the first of these pages is read with OCR, because everything else was read before. */
  waiting: WaitingPages | null
}
