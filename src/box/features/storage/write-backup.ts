import { createReadStream, createWriteStream } from "node:fs"
import { lstat, mkdir, mkdtemp, realpath, rm, stat } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { pipeline } from "node:stream/promises"
import { createGunzip, createGzip } from "node:zlib"
import { Parser, type ReadEntry, create } from "tar"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { holdDirectory } from "../../core/data-directory/instance-lock.ts"
import { backedUpDirectories, databaseFile } from "../../core/data-layout.ts"
import type { DatabaseChecker } from "../../core/database/sqlite/integrity/check-database.ts"
import { moveToFreeName, syncToDisk, linkTree } from "../../core/files/durable-file.ts"
import { makeDirectoryInside } from "../../core/files/path-jail.ts"
import { choosePartial } from "./backup-files.ts"
import { isBackupPath, type DatabaseAdoption } from "./unpack-backup.ts"

/** Totals of the files in an archive. */
interface ArchiveSum {
  files: number
  /** Bytes of all files, before compression. */
  bytes: number
}

/**
 * Reads an archive to its end, as a restore will: its checksums, its contents, and whether it is complete.
 * @throws Error if a restore would refuse it or miss something.
 */
export async function verifyArchive(file: string, expected: ArchiveSum, signal?: AbortSignal): Promise<void> {
  const found: ArchiveSum = { files: 0, bytes: 0 }
  const parser = new Parser({
    strict: true,
    onReadEntry(entry: ReadEntry) {
      if (!isBackupPath(entry.path, entry))
        parser.abort(new Error(`${entry.path} doesn't belong in a backup.`))
      if (entry.type === "File") found.files++
      entry.on("data", (chunk: Buffer) => (found.bytes += chunk.length))
    },
  })
  const source = createReadStream(file)
  await pipeline(
    source,
    createGunzip(),
    parser as unknown as NodeJS.WritableStream,
    ...(signal ? [{ signal }] : []),
  )
  if (found.files !== expected.files || found.bytes !== expected.bytes)
    throw new Error(
      `The backup holds ${found.files} files of ${found.bytes} bytes in place of ${expected.files} of ${expected.bytes}.`,
    )
}

const readAtOnce = 2 ** 20

export interface BackupJob {
  dataDir: string
  /**
   * Directory in which the backup collects its contents, on the data directory's file system. Each start removes directories in it that
   * aren't held.
   */
  stagingRoot: string
  /** Writes a consistent copy of the database. */
  copyDatabase: (path: string, signal?: AbortSignal) => Promise<void>
  checker: Pick<DatabaseChecker, "requireSound">
  adoption: Pick<DatabaseAdoption, "absentFiles">
  /** The file to create when the backup is complete. An existing file with this name isn't replaced. */
  target: string
  /** Throws if the target now leads elsewhere: writing takes minutes. */
  requireTarget?: () => Promise<void>
  signal?: AbortSignal
  /** Called as the backup progresses, with sizes before compression. */
  onProgress?: (doneBytes: number, totalBytes: number) => void
}

/**
 * Writes one file with everything that can't be rebuilt, even while the server runs: the database at one moment, then the files at one
 * later moment. The search index isn't included, because it can be rebuilt. The copy of the database and the archive are read completely
 * before the file gets its name, so that every finished backup can be restored.
 * @throws DatabaseUnusable if the database is damaged, AppError `unavailable` if the files of a folder are missing,
 * `conflict` if a file with this name exists by the end
 */
export async function writeBackup(job: BackupJob): Promise<void> {
  const { dataDir, stagingRoot, target, signal, onProgress } = job
  await makeDirectoryInside(dirname(stagingRoot), [basename(stagingRoot)])
  const onSameDisk = (await stat(dirname(target))).dev === (await stat(stagingRoot)).dev
  const staging = await mkdtemp(join(stagingRoot, "backup-"))
  const held = holdDirectory(staging) // a server may start in the meantime
  let partial = join(staging, "complete.tgz")
  try {
    if (!onSameDisk) partial = await choosePartial(target, staging, await realpath(dataDir))
    const database = join(staging, databaseFile)
    await job.copyDatabase(database, signal)
    signal?.throwIfAborted()
    await job.checker.requireSound(database, signal)
    let total = (await lstat(database)).size
    const entries = [databaseFile]
    for (const name of backedUpDirectories) {
      await mkdir(join(staging, name))
      total += await linkTree(join(dataDir, name), join(staging, name), signal)
      entries.push(name)
    }
    await requireFiles(job, database, staging)
    const done = { files: 0, bytes: 0 }
    const archive = create(
      {
        cwd: staging,
        maxReadSize: readAtOnce,
        portable: true,
        linkCache: new NoLinks(),
        onWriteEntry({ stat }) {
          if (!stat?.isFile()) return
          done.files++
          done.bytes += stat.size
          onProgress?.(done.bytes, total)
        },
      },
      entries,
    )
    onProgress?.(0, total)
    await job.requireTarget?.()
    await pipeline(
      archive,
      createGzip({ level: 1 }),
      createWriteStream(partial, { flags: "wx" }),
      ...(signal ? [{ signal }] : []),
    )
    await syncToDisk(partial)
    await verifyArchive(partial, done, signal)
    await job.requireTarget?.()
    await moveToFreeName(partial, target).catch(throwNameTaken(target))
  } catch (error) {
    signal?.throwIfAborted() // a stream that was stopped throws other errors
    throw error
  } finally {
    held?.[Symbol.dispose]()
    await rm(staging, { recursive: true, force: true })
    await rm(partial, { force: true })
  }
}

const throwNameTaken = (target: string) => (error: NodeJS.ErrnoException) => {
  throw error.code === "EEXIST" ? nameTaken(target) : error
}

export const nameTaken = (target: string): AppError =>
  new AppError("conflict", sentence("storage.target_exists", { target }))

/**
 * Throws `unavailable` if the directory of a folder is missing, because this backup would replace the last one that has its files. Files
 * that were deleted after the database was copied aren't missing; a second copy of the database distinguishes the two cases.
 */
async function requireFiles(job: BackupJob, database: string, staging: string): Promise<void> {
  const { adoption, copyDatabase, dataDir, signal } = job
  const empty = (await adoption.absentFiles(database, staging)).filter(({ present }) => present === 0)
  if (empty.length === 0) return
  const later = join(staging, `later-${databaseFile}`)
  await copyDatabase(later, signal)
  const absent = new Set((await adoption.absentFiles(later, dataDir)).flatMap((folder) => folder.absent))
  await rm(later)
  const missing = empty.filter((folder) => folder.absent.some((path) => absent.has(path)))
  const [first] = missing
  if (!first) return
  const { folder } = first
  throw new AppError(
    "unavailable",
    missing.length === 1
      ? sentence("storage.files_missing", { folder })
      : sentence("storage.files_missing_in_several", { folder, count: missing.length - 1 }),
  )
}

/** Writes every file in full, although each has several hard links here: an archive without links is easier to check. */
class NoLinks extends Map<`${number}:${number}`, string> {
  override get(): undefined {
    return undefined
  }
}
