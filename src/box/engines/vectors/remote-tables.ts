import { randomUUID } from "node:crypto"
import type { ObjectStore } from "../../core/objects/object-store.ts"
import type { S3Address } from "../../core/objects/s3-address.ts"
import type { TableCopies, TablesPlace } from "./lance/tables-place.ts"

/** A place on an object store for the tables of the index. */
export interface TableStore extends Pick<ObjectStore, "get" | "list" | "remove"> {
  /** As LanceDB takes it. */
  uri: string
  storageOptions: Record<string, string>
  /** What copies of tables may take here, in bytes; 0: there are none. */
  mostCopiedBytes: number
  /** Throws where the place isn't these rows' own, or doesn't answer. */
  look(): Promise<void>
  /** Whether the store does what it is asked for. */
  answers(): Promise<boolean>
}

/** Names of the box's own only: whatever else lies beside them is somebody's. */
const generation = /^tables-[0-9a-f-]{36}$/

/** Each index that is built anew is another generation: on a store nothing can be renamed, and what fails may still be written to. */
export const newGeneration = (): string => `tables-${randomUUID()}`

export const isGeneration = (name: string | undefined): name is string =>
  name !== undefined && generation.test(name)

export const tablesOn = (store: TableStore, of: string, copies: TableCopies): TablesPlace => ({
  uri: `${store.uri}/${of}`,
  storageOptions: store.storageOptions,
  prepare: store.look,
  copies,
  async names(path) {
    const names: string[] = []
    const prefix = `${of}/${path}/`
    for await (const some of store.list(prefix))
      names.push(...some.map(({ key }) => key.slice(prefix.length)))
    return names
  },
})

/** Deletes what other generations left than the one that is kept at the time. */
export async function removeOthers(store: TableStore, kept: () => string | undefined): Promise<void> {
  for await (const some of store.list("tables-"))
    for (const { key } of some) {
      const [name] = key.split("/")
      if (name !== kept() && isGeneration(name)) await store.remove(key)
    }
}

/** How LanceDB reaches a store. */
export function storageOptionsOf({ endpoint, region, credentials }: S3Address): Record<string, string> {
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
