import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** One passage as stored in the index. `vectorId` is the folder's id; all ids are UUIDs. */
export interface PassageRecord {
  id: string
  vectorId: string
  fileId: string
  text: string
  /** Present if an embedding model is configured and has processed the text. */
  embedding?: Float32Array
}

/** `rebuilding`: searches use the passages indexed so far. */
export type PassageIndexState = { status: "ready" } | { status: "rebuilding"; passages: number }

export interface IndexLogger {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** The index's data for one passage. */
export interface IndexedPassage {
  id: string
  vectorId: string
  embedded: boolean
}

/** `after` is exclusive, `upTo` is inclusive. Without one of them, the range has no bound on that side. */
export interface IdRange {
  after?: string | undefined
  upTo?: string | undefined
}

/** A column with the id of a passage's owner. */
export type OwnerColumn = "fileId" | "vectorId"

/** Returns the id; throws `AppError` `validation` unless it is a UUID in lower case. */
export function requireId(id: string): string {
  if (!uuid.test(id)) throw new AppError("validation", sentence("search.id_malformed"))
  return id
}

/** Some of the files in folders: only those listed, or all except those listed. The shorter list is searched faster. Never `only` none. */
export interface FileSelection {
  listed: "only" | "except"
  fileIds: readonly string[]
}
