import { createReadStream } from "node:fs"
import { pipeline } from "node:stream/promises"
import { createGunzip } from "node:zlib"
import { Parser, type ReadEntry } from "tar"
import { isBackupPath } from "./unpack-backup.ts"

/** Totals of the files in an archive. */
export interface ArchiveSum {
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
        parser.abort(new Error(`${entry.path} doesn't belong into a backup.`))
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
