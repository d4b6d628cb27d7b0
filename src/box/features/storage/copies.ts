import { readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { StoredCopy } from "../../../shared/contract/storage.ts"
import { snapshotsPath } from "../../core/data-layout.ts"
import { timestamp } from "../../core/ids.ts"
import { measure } from "./disk-usage.ts"
import { replacedPrefix } from "./staged-restore.ts"

const snapshotName = /^schema-\d+\.sqlite$/
const replacedName = new RegExp(`^${replacedPrefix}\\d+$`)

/** Earlier states of the data, newest first. */
export async function listCopies(dataDir: string, deadline: number): Promise<StoredCopy[]> {
  const found = [
    ...(await names(snapshotsPath(dataDir), snapshotName)).map((id) => ({ id, kind: "snapshot" as const })),
    ...(await names(dataDir, replacedName)).map((id) => ({ id, kind: "replaced" as const })),
  ]
  const copies = await Promise.all(
    found.map(async ({ id, kind }) => {
      const path = getPath(dataDir, id)
      const { bytes } = await measure(path, deadline)
      return { id, kind, bytes, createdAt: timestamp((await stat(path)).mtimeMs) }
    }),
  )
  return copies.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))
}

/** Throws `not_found`. An ID that isn't the name of a copy is never used as a path. */
export async function removeCopy(dataDir: string, id: string): Promise<void> {
  const directory = snapshotName.test(id) ? snapshotsPath(dataDir) : dataDir
  const known = await names(directory, snapshotName.test(id) ? snapshotName : replacedName)
  if (!known.includes(id)) throw new AppError("not_found", sentence("storage.no_copy"))
  await rm(getPath(dataDir, id), { recursive: true, force: true })
}

const getPath = (dataDir: string, id: string) =>
  snapshotName.test(id) ? join(snapshotsPath(dataDir), id) : join(dataDir, id)

async function names(directory: string, pattern: RegExp): Promise<string[]> {
  const found = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return []
    throw error
  })
  return found.filter((name) => pattern.test(name))
}
