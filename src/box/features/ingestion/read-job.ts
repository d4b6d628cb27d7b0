import { lstat } from "node:fs/promises"
import { resolveInside } from "../../core/path-jail.ts"
import type { DocumentReader, ReadOptions } from "../../parsers/document-reader.ts"
import { detectType } from "../../parsers/detect-type.ts"
import { type Block, ParseFailure, type Scan, skipped } from "../../parsers/parser.ts"
import { acceptedFormats } from "../../parsers/registry.ts"
import type { Job } from "./queue-store.ts"

/** Longest file that is read, as for uploads (interface.md 8). */
const longestFile = 2 ** 30

/**
 * The blocks of a job's file. Throws `ParseFailure` with outcome `skipped` for what the folder doesn't take,
 * `AppError` `not_found` when the file is gone or has become a link.
 */
export async function* readJob(
  job: Job,
  reader: Pick<DocumentReader, "read">,
  { scan, ...options }: Omit<ReadOptions, "ocr"> & { scan?: Scan },
): AsyncGenerator<Block> {
  if (job.storage === "cloud") {
    throw skipped("cloud_only")
  }
  const names = [...job.subFolder.split("/"), job.name].filter((name) => name !== "")
  const path = await resolveInside(job.root, names)
  const found = await lstat(path)
  if (!found.isFile()) throw skipped("not_regular_file")
  if (found.size > longestFile) throw skipped("too_large")
  if (job.pipeline === "light") await requireAccepted(path, job)
  const input = { path, name: job.name, ...(scan && { scan }) }
  yield* reader.read(input, { ...options, ocr: scan !== undefined })
}

async function requireAccepted(path: string, job: Job): Promise<void> {
  const detection = await detectType(path, job.name)
  if ("unsupported" in detection) throw new ParseFailure(detection.unsupported, "skipped")
  if (!acceptedFormats(job.pipeline).includes(detection.format)) {
    throw skipped("light_only")
  }
}
