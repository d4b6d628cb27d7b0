import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** One passage as the index takes it. `vectorId` is the folder's id; all ids are UUIDs. */
export interface PassageRecord {
  id: string
  vectorId: string
  fileId: string
  text: string
  /** Present when an embedding model is configured and has seen the text. */
  embedding?: Float32Array
}

/** `rebuilding`: searches answer from what is indexed so far. */
export type PassageIndexState = { status: "ready" } | { status: "rebuilding"; passages: number }

export interface IndexLogger {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** What the index holds of a passage. */
export interface IndexedPassage {
  id: string
  embedded: boolean
}

/** `after` isn't in it, `upTo` is; without them it has no end there. */
export interface IdRange {
  after?: string | undefined
  upTo?: string | undefined
}

/** A column that names what a passage belongs to. */
export type OwnerColumn = "fileId" | "vectorId"

/** Returns the id; throws `AppError` `validation` unless it is a UUID in lower case. */
export function requireId(id: string): string {
  if (!uuid.test(id)) throw new AppError("validation", sentence("search.id_malformed"))
  return id
}
