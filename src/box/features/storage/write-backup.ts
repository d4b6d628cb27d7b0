import { createWriteStream } from "node:fs"
import { lstat, mkdir, mkdtemp, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { create } from "tar"
import { backedUpDirectories, databaseFile } from "../../core/data-layout.ts"
import { syncToDisk } from "../../core/durable-file.ts"
import { linkTree } from "./link-tree.ts"

export interface BackupJob {
  dataDir: string
  /** Where the backup gathers what goes into it; on the same file system as the data directory. */
  stagingRoot: string
  /** Writes a consistent copy of the database. */
  copyDatabase: (path: string, signal?: AbortSignal) => Promise<void>
  /** The file to make; whatever has this name is replaced once the backup is complete. */
  target: string
  signal?: AbortSignal
  /** Called as it goes on, with sizes before compression. */
  onProgress?: (doneBytes: number, totalBytes: number) => void
}

/**
 * Writes one file with everything that can't be made again, also while the box runs: the database as it is at one
 * moment, then the files as they are at one moment after it. The search index is rebuilt, so it isn't in it.
 */
export async function writeBackup(job: BackupJob): Promise<void> {
  const { dataDir, stagingRoot, target, signal, onProgress } = job
  const partial = `${target}.partial`
  await mkdir(stagingRoot, { recursive: true })
  const staging = await mkdtemp(join(stagingRoot, "backup-"))
  try {
    const database = join(staging, databaseFile)
    await job.copyDatabase(database, signal)
    signal?.throwIfAborted()
    let total = (await lstat(database)).size
    const entries = [databaseFile]
    for (const name of backedUpDirectories) {
      await mkdir(join(staging, name))
      total += await linkTree(join(dataDir, name), join(staging, name), signal)
      entries.push(name)
    }
    let done = 0
    const archive = create(
      {
        cwd: staging,
        gzip: { level: 1 },
        portable: true,
        linkCache: new NoLinks(),
        onWriteEntry: (entry) => onProgress?.((done += entry.stat?.isFile() ? entry.stat.size : 0), total),
      },
      entries,
    )
    onProgress?.(0, total)
    await pipeline(archive, createWriteStream(partial), ...(signal ? [{ signal }] : []))
    await syncToDisk(partial)
    await rename(partial, target)
  } catch (error) {
    signal?.throwIfAborted() // a stopped stream has errors of its own
    throw error
  } finally {
    await rm(staging, { recursive: true, force: true })
    await rm(partial, { force: true })
  }
}

/** Every file is written out, although all have several names here: an archive without links is simple to check. */
class NoLinks extends Map<`${number}:${number}`, string> {
  override get(): undefined {
    return undefined
  }
}
