import type { FileHandle } from "node:fs/promises"
import { join } from "node:path"
import { AppError } from "../../../../shared/contract/errors.ts"
import { hashFile } from "../../../core/files/hash-file.ts"
import { openInside } from "../../../core/files/path-jail.ts"
import { isShownOnly } from "../../../engines/folder-watcher/shown-names.ts"
import type { DocumentReader, ReadOptions } from "../../../parsers/process/document-reader.ts"
import { detectionBytes, detectUpload } from "../../../parsers/document/detect-type.ts"
import { getIdentity } from "../../../parsers/document/opened-document.ts"
import { type Block, ParseFailure, type Scan, skipped } from "../../../parsers/parser.ts"
import { getNames } from "../file-entry.ts"
import type { FindBytes } from "../objects/stored-bytes.ts"
import type { Job } from "./job.ts"

/** Maximum size of a file that is read, as for uploads. */
const maxFileBytes = 2 ** 30

/** The dependencies for reading a job's file. */
export interface JobReading {
  reader: Pick<DocumentReader, "read">
  find: FindBytes
}

/**
 * Returns the blocks of a job's file. Throws `ParseFailure` with outcome `skipped` for files that the folder doesn't support, and
 * `AppError` `not_found` if the file is gone or has become a link.
 */
export async function* readJob(
  job: Job,
  { reader, find }: JobReading,
  { scan, onHash, ...options }: Omit<ReadOptions, "ocr"> & { scan?: Scan; onHash?: (hash: string) => void },
): AsyncGenerator<Block> {
  if (job.storage === "cloud") {
    throw skipped("cloud_only")
  }
  using stored = await find(job.root, job)
  await using handle = await openInside(stored.root, stored.names).catch((error: unknown) => {
    const isMissing = error instanceof AppError && error.code === "not_found"
    throw isMissing && getNames(job).some(isShownOnly) ? skipped("name_not_utf8") : error
  })
  if ((await handle.stat()).size > maxFileBytes) throw skipped("too_large")
  if (job.pipeline === "light") await requireAccepted(handle, job)
  if (onHash) onHash(await hashFile(handle, options.signal))
  const identity = await getIdentity(handle)
  const input = { path: join(stored.root, ...stored.names), identity, name: job.name, ...(scan && { scan }) }
  options.signal?.throwIfAborted()
  yield* reader.read(input, { ...options, person: job.ownerId, ocr: scan !== undefined })
}

async function requireAccepted(handle: FileHandle, { name, pipeline }: Job): Promise<void> {
  const head = Buffer.alloc(detectionBytes)
  const { bytesRead } = await handle.read(head, 0, head.length, 0)
  const detection = await detectUpload(head.subarray(0, bytesRead), name, pipeline)
  if ("unsupported" in detection) throw new ParseFailure(detection.unsupported, "skipped")
}
