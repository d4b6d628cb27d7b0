import { lstat } from "node:fs/promises"
import { resolveInside } from "../../core/path-jail.ts"
import type { DocumentReader, ReadOptions } from "../../parsers/document-reader.ts"
import { detectType } from "../../parsers/detect-type.ts"
import { ParseFailure, type Block } from "../../parsers/parser.ts"
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
  { scannedPage, ...options }: Omit<ReadOptions, "ocr"> & { scannedPage?: number },
): AsyncGenerator<Block> {
  if (job.storage === "cloud") {
    throw new ParseFailure(
      "The bytes of this file are only in a cloud drive. Download it to index it.",
      "skipped",
    )
  }
  const names = [...job.subFolder.split("/"), job.name].filter((name) => name !== "")
  const path = await resolveInside(job.root, names)
  const found = await lstat(path)
  if (!found.isFile()) throw new ParseFailure("This isn't a regular file.", "skipped")
  if (found.size > longestFile) throw new ParseFailure("This file is larger than 1 GiB.", "skipped")
  if (job.pipeline === "light") await requireAccepted(path, job)
  const input = { path, name: job.name, ...(scannedPage !== undefined && { scannedPage }) }
  yield* reader.read(input, { ...options, ocr: job.ocr })
}

async function requireAccepted(path: string, job: Job): Promise<void> {
  const detection = await detectType(path, job.name)
  if ("unsupported" in detection) throw new ParseFailure(detection.unsupported, "skipped")
  if (!acceptedFormats(job.pipeline).includes(detection.format)) {
    throw new ParseFailure("This folder takes only PDF files and images.", "skipped")
  }
}
