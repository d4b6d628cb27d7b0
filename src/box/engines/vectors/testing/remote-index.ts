import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestObjectStore } from "../../../../shared/testing/test-object-store.ts"
import { silentLogger } from "../../../core/logging/logger.ts"
import { openS3 } from "../../../core/objects/s3-store.ts"
import { createOutbound } from "../../../core/outbound/outbound.ts"
import { openPassageIndex, type PassageRecord } from "../passage-index.ts"
import { getStorageOptions, type TableStore } from "../tables-location.ts"

const outbound = createOutbound({
  localOnly: () => ({ on: false, decidedBy: "start", programs: true }),
  record: () => undefined,
})
const uuid = (number: number, kind = 0) =>
  `${String(number).padStart(8, "0")}-0000-4000-8000-00000000000${kind}`
const folder = uuid(0, 1)
let stores = 0

export const getFile = (number: number): string => uuid(number, 2)
export const passage = (number: number, text: string): PassageRecord => ({
  id: uuid(number),
  vectorId: folder,
  fileId: getFile(number),
  text,
})

/** Creates an index whose tables are on a store. Its directory is removed on disposal. */
export async function createRemoteIndex(objects: TestObjectStore) {
  const prefix = `index-${++stores}`
  const parent = await mkdtemp(join(tmpdir(), "casella-remote-index-"))
  const directory = join(parent, "index")
  /** The passages that the database would contain. */
  const stored: PassageRecord[] = []
  async function* passages() {
    yield stored
  }

  function tableStore(maxCopiedBytes = 1e9): TableStore {
    const objectStore = objects.at(prefix)
    const store = openS3(objectStore, outbound)
    return {
      uri: objectStore.address,
      storageOptions: getStorageOptions(objectStore),
      maxCopiedBytes,
      checkOwner: () => Promise.resolve(),
      answers: () => Promise.resolve(true),
      get: (key, signal) => store.get(key, signal),
      list: (listed) => store.list(listed),
      remove: (key) => store.remove(key),
    }
  }

  return {
    prefix,
    directory,
    stored,
    tableStore,
    open: (store: TableStore | undefined = tableStore()) =>
      openPassageIndex({ directory, passages, store, logger: silentLogger }),
    openHere: () => openPassageIndex({ directory, passages, logger: silentLogger }),
    keys: () => [...objects.objects.keys()].filter((key) => key.startsWith(`${prefix}/`)),
    async [Symbol.asyncDispose]() {
      await rm(parent, { recursive: true, force: true })
    },
  }
}

/** Returns the numbers of the passages that contain the word, in order. */
export async function found(
  index: Pick<Awaited<ReturnType<typeof openPassageIndex>>, "keyword">,
  word: string,
): Promise<number[]> {
  const hits = await index.keyword(word, [folder], 100)
  return hits.map(({ id }) => Number(id.slice(0, 8))).toSorted((a, b) => a - b)
}
