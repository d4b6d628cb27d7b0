import type { Readable } from "node:stream"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"

/** An entry of a list of objects; its size is in bytes. */
export interface ListedObject {
  key: string
  size: number
}

/** Stores bytes on a remote store, each under a key that is written once. Failures throw `AppError` `unavailable`. */
export interface ObjectStore extends AsyncDisposable {
  /** The address in its usual form: `s3://bucket/prefix`. */
  readonly address: string
  /** Stores a file's bytes, in parts if the file is large. Settles when the store has all of them and has verified their checksums. */
  put(key: string, path: string, signal?: AbortSignal): Promise<void>
  /** Streams the bytes; null if there is no such object. */
  get(key: string, signal?: AbortSignal): Promise<Readable | null>
  has(key: string): Promise<boolean>
  /** Yields all objects whose key starts with the prefix, in batches. */
  list(prefix: string): AsyncIterable<ListedObject[]>
  /** Does nothing if there is no such object. */
  remove(key: string): Promise<void>
  /** Returns the text of a small object; null if there is no such object. */
  text(key: string): Promise<string | null>
  /** Writes a text, replacing an existing object. */
  write(key: string, text: string): Promise<void>
  /** Writes a text if there is no such object. `unsupported`: the store can't detect an existing object. */
  create(key: string, text: string): Promise<"created" | "exists" | "unsupported">
}

/** The store can't be reached or fails; it may work later. */
export class ObjectStoreUnavailable extends AppError {
  readonly address: string

  constructor(address: string, cause: unknown) {
    super("unavailable", sentence("storage.objects_away"), { cause })
    this.address = address
  }
}

/** An error that only an administrator can fix. `advice` names the store and is for the log and the terminal only. */
export abstract class ObjectStoreUnusable extends AppError {
  abstract readonly advice: string
}

/** The store refuses access, or there is no such bucket. */
export class ObjectStoreRefused extends ObjectStoreUnusable {
  readonly advice: string

  constructor(address: string, cause: unknown) {
    super("unavailable", sentence("storage.objects_refused"), { cause })
    this.advice = `The object store refuses access to ${address}. Check that the bucket exists, and the access key and its rights.`
  }
}

/** The prefix on the store belongs to other rows. */
export class ForeignObjects extends ObjectStoreUnusable {
  readonly advice: string

  constructor(advice: string) {
    super("conflict", sentence("storage.objects_of_others"))
    this.advice = advice
  }
}
