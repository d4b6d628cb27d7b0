import type { SupportDraft } from "../../../shared/contract/support.ts"
import { reportDatabase } from "../../lib/report-dialog.ts"
import type { Picture } from "./picture.ts"

/** Parts of a draft that are too large for `localStorage`. */
interface Parts {
  screenshot: Picture | null
  attachment: SupportDraft["attachment"]
}

const storeName = "parts"

function open(): Promise<IDBDatabase> {
  const { promise, resolve, reject } = Promise.withResolvers<IDBDatabase>()
  const request = indexedDB.open(reportDatabase, 1)
  request.addEventListener("upgradeneeded", () => request.result.createObjectStore(storeName))
  request.addEventListener("success", () => resolve(request.result))
  request.addEventListener("error", () => reject(request.error ?? new Error("No IndexedDB")))
  return promise
}

async function run<T>(mode: IDBTransactionMode, use: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const database = await open()
  try {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const transaction = database.transaction(storeName, mode)
    const request = use(transaction.objectStore(storeName))
    transaction.addEventListener("complete", () => resolve(request.result))
    transaction.addEventListener("error", () => reject(transaction.error ?? new Error("IndexedDB failed")))
    return await promise
  } finally {
    database.close()
  }
}

const getKey = (name: string, part: keyof Parts) => `${name}:${part}`

/** If they can't be stored, a draft keeps its images only while the page is open. */
export async function readParts(name: string): Promise<Partial<Parts>> {
  try {
    const [screenshot, attachment] = await Promise.all([
      run("readonly", (store) => store.get(getKey(name, "screenshot")) as IDBRequest<Picture | undefined>),
      run(
        "readonly",
        (store) => store.get(getKey(name, "attachment")) as IDBRequest<Parts["attachment"] | undefined>,
      ),
    ])
    return { screenshot: screenshot ?? null, attachment: attachment ?? null }
  } catch {
    return {}
  }
}

export async function writePart<P extends keyof Parts>(
  name: string,
  part: P,
  value: Parts[P],
): Promise<void> {
  await run("readwrite", (store) => store.put(value, getKey(name, part))).catch(() => undefined)
}

export async function removeParts(name: string): Promise<void> {
  for (const part of ["screenshot", "attachment"] as const) {
    await run("readwrite", (store) => store.delete(getKey(name, part))).catch(() => undefined)
  }
}
