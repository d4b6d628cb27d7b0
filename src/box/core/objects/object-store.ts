import type { Readable } from "node:stream"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"

/** What a list tells of an object; its size is in bytes. */
export interface ListedObject {
  key: string
  size: number
}

/** Bytes on a store elsewhere, each under a key that is written once. What can't be done throws `AppError` `unavailable`. */
export interface ObjectStore extends AsyncDisposable {
  /** As people write it: `s3://bucket/prefix`. */
  readonly address: string
  /** Stores a file's bytes, in parts where they are many. Settles once the store has all of them and has compared their checksums. */
  put(key: string, path: string, signal?: AbortSignal): Promise<void>
  /** The bytes, as they come; null where there is no such object. */
  get(key: string, signal?: AbortSignal): Promise<Readable | null>
  has(key: string): Promise<boolean>
  /** All objects whose key begins so, some at a time. */
  list(prefix: string): AsyncIterable<ListedObject[]>
  /** Nothing happens where there is none. */
  remove(key: string): Promise<void>
  /** A small one's text; null where there is no such object. */
  text(key: string): Promise<string | null>
  /** Writes a text, replacing an existing object. */
  write(key: string, text: string): Promise<void>
  /** Writes a text unless there is such an object. `unsupported`: the store can't tell whether there is one. */
  create(key: string, text: string): Promise<"created" | "exists" | "unsupported">
}

/** The store can't be reached, or doesn't do what it is asked for: it may later. */
export class ObjectsAway extends AppError {
  readonly address: string

  constructor(address: string, cause: unknown) {
    super("unavailable", sentence("storage.objects_away"), { cause })
    this.address = address
  }
}

/** An error that only an administrator can fix. `advice` names the store and is for the log and the terminal only. */
export abstract class ObjectsUnusable extends AppError {
  abstract readonly advice: string
}

/** The store says that this isn't allowed, or knows no such bucket. */
export class ObjectsRefused extends ObjectsUnusable {
  readonly advice: string

  constructor(address: string, cause: unknown) {
    super("unavailable", sentence("storage.objects_refused"), { cause })
    this.advice = `The object store refuses access to ${address}. Check that the bucket exists, and the access key and its rights.`
  }
}

/** The prefix on the store belongs to other rows. */
export class ObjectsOfOthers extends ObjectsUnusable {
  readonly advice: string

  constructor(advice: string) {
    super("conflict", sentence("storage.objects_of_others"))
    this.advice = advice
  }
}
