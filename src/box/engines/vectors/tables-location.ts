import { randomUUID } from "node:crypto"
import { mkdir, readdir } from "node:fs/promises"
import { join } from "node:path"
import type { ObjectStore } from "../../core/objects/object-store.ts"
import type { S3Address } from "../../core/objects/s3-address.ts"

/** Local copies of tables on a store. Each is complete and has one version. There are as many as the limit allows. */
export interface TableCopies {
  /**
   * Updates the copy of a table to this version, removes earlier ones, and opens it. `open` receives LanceDB's connection URI and throws if
   * the copy is damaged. Returns null if there is no copy, because space is short, the store already has a later version, or an error
   * occurs.
   */
  open<Opened>(table: string, version: number, open: (uri: string) => Promise<Opened>): Promise<Opened | null>
  /** Deletes the copy of a table, and logs the reason if the copy failed. Never throws. */
  drop(table: string, reason?: unknown): Promise<void>
}

/** Location of LanceDB's tables: a directory, or a location on an object store. */
export interface TablesLocation {
  /** The URI that LanceDB connects to. */
  uri: string
  /** Connection options for a store; null for a directory. */
  storageOptions: Record<string, string> | null
  /** Call this before anything is written there. Throws if writing isn't allowed. */
  prepare(): Promise<void>
  /** Returns the names of the files at this path; empty if the path doesn't exist. */
  names(path: string): Promise<string[]>
  /** Copies of tables on a store; null for a directory. */
  copies: TableCopies | null
}

export const tablesIn = (directory: string): TablesLocation => ({
  uri: directory,
  storageOptions: null,
  copies: null,
  async prepare() {
    await mkdir(directory, { recursive: true })
  },
  names: (path) =>
    readdir(join(directory, path)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return []
      throw error
    }),
})

/** A location on an object store for the tables of the index. */
export interface TableStore extends Pick<ObjectStore, "get" | "list" | "remove"> {
  /** The URI in LanceDB's form. */
  uri: string
  storageOptions: Record<string, string>
  /** Maximum size of local table copies, in bytes; 0 disables copies. */
  maxCopiedBytes: number
  /** Throws if the location doesn't belong to this box's data, or doesn't respond. */
  checkOwner(): Promise<void>
  /** Whether the store responds to requests. */
  answers(): Promise<boolean>
}

/** Matches only the box's own names, because anything else in the location belongs to someone else. */
const generation = /^tables-[0-9a-f-]{36}$/

/**
 * Returns the name of a new generation. Each rebuilt index gets one, because objects on a store can't be renamed and a failed index may
 * still be written to.
 */
export const newGeneration = (): string => `tables-${randomUUID()}`

export const isGeneration = (name: string | undefined): name is string =>
  name !== undefined && generation.test(name)

export const tablesOn = (store: TableStore, of: string, copies: TableCopies): TablesLocation => ({
  uri: `${store.uri}/${of}`,
  storageOptions: store.storageOptions,
  prepare: store.checkOwner,
  copies,
  async names(path) {
    const names: string[] = []
    const prefix = `${of}/${path}/`
    for await (const some of store.list(prefix))
      names.push(...some.map(({ key }) => key.slice(prefix.length)))
    return names
  },
})

/** Deletes all generations except the one that is current at that moment. */
export async function removeOthers(store: TableStore, kept: () => string | undefined): Promise<void> {
  for await (const some of store.list("tables-"))
    for (const { key } of some) {
      const [name] = key.split("/")
      if (name !== kept() && isGeneration(name)) await store.remove(key)
    }
}

/** Returns LanceDB's connection options for a store. */
export function getStorageOptions({ endpoint, region, credentials }: S3Address): Record<string, string> {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials
  return {
    aws_region: region,
    aws_access_key_id: accessKeyId,
    aws_secret_access_key: secretAccessKey,
    ...(sessionToken !== undefined && { aws_session_token: sessionToken }),
    ...(endpoint !== null && {
      aws_endpoint: endpoint,
      aws_virtual_hosted_style_request: "false",
      allow_http: String(endpoint.startsWith("http:")),
    }),
    connect_timeout: "10s",
    timeout: "60s",
    client_max_retries: "3",
    client_retry_timeout: "30",
  }
}
