import { lstat, readdir, rm, unlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { z } from "zod"
import { isLocked } from "../../core/data-directory/instance-lock.ts"
import { uploadsPath } from "../../core/data-layout.ts"
import { syncDirectory } from "../../core/files/durable-file.ts"
import { newId } from "../../core/ids.ts"
import { readSmallFile } from "../../core/files/small-file.ts"
import { readStored } from "../../core/database/stored-json.ts"
import { partialNote } from "../../core/files/temporary-files.ts"

/** The disk may be connected again later. */
const retentionMs = 30 * 24 * 3_600_000

const Note = z.object({
  /** No one else creates a file with such a name. */
  path: z.string().regex(/\.[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\.partial$/),
  /** A copy of the data directory must not touch the original's files. */
  dataDir: z.string(),
})

/**
 * Chooses the path of an incomplete backup on another disk. The path is recorded next to its staging directory, so that a start can remove
 * the file after a kill.
 */
export async function choosePartial(target: string, staging: string, dataDir: string): Promise<string> {
  const note: z.infer<typeof Note> = { path: `${target}.${newId()}.partial`, dataDir }
  await writeFile(join(staging, partialNote), JSON.stringify(note), { flush: true })
  await syncDirectory(staging)
  return note.path
}

/** Removes files that killed backups left on other disks. Files that aren't available are looked for at each start for 30 days. */
export async function removeCutOffBackups(dataDir: string): Promise<void> {
  const uploads = uploadsPath(dataDir)
  const names = await readdir(uploads).catch(() => [])
  for (const staging of names.map((name) => join(uploads, name))) {
    const path = join(staging, partialNote)
    const text = await readSmallFile(path).catch(() => null)
    if (text === null || isLocked(staging)) continue
    const note = readStored(Note, text)
    const isOwn = note?.dataDir === dataDir
    const isMissing = isOwn && (await isRemoved(note.path))
    const isRecent = Date.now() - (await lstat(path)).mtimeMs < retentionMs
    if (isMissing || !isOwn || !isRecent) await rm(staging, { recursive: true, force: true })
  }
}

/** Returns false if the file doesn't exist, or can't be removed now. */
const isRemoved = (path: string): Promise<boolean> =>
  unlink(path).then(
    () => true,
    () => false,
  )
