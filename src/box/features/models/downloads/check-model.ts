import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { stat } from "node:fs/promises"
import { AppError } from "../../../../shared/contract/errors.ts"
import type { Sentence } from "../../../../shared/sentences/sentence.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { readGgufHeader } from "../../../engines/llama/gguf/gguf-header.ts"

/** Known properties of the expected file. */
export interface ExpectedFile {
  sizeBytes: number | null
  sha256: string | null
}

/** Checks what a server reports about a file before fetching it. Throws AppError if it is a different file. */
export function requireExpected(expected: ExpectedFile, remote: ExpectedFile): void {
  if (remote.sizeBytes === null || remote.sizeBytes <= 0) {
    throw new AppError("unavailable", sentence("models.size_unknown"))
  }
  const differs = <T>(wanted: T | null, told: T | null) => wanted !== null && told !== null && wanted !== told
  if (differs(expected.sizeBytes, remote.sizeBytes) || differs(expected.sha256, remote.sha256)) {
    throw new AppError("unprocessable", sentence("models.other_file"))
  }
}

/**
 * Checks that a downloaded file matches what is known about it, and that it is a model.
 *
 * @returns how it was checked. @throws AppError `unprocessable` if it isn't the expected file.
 */
export async function checkModel(
  path: string,
  expected: ExpectedFile,
  signal: AbortSignal,
): Promise<"sha256" | "header"> {
  const { size } = await stat(path)
  if (expected.sizeBytes !== null && size !== expected.sizeBytes) {
    throw refused(sentence("models.wrong_size", { size, expected: expected.sizeBytes }))
  }
  try {
    readGgufHeader(path)
  } catch (error) {
    if (error instanceof AppError) throw refused(sentence("models.not_complete"), error)
    throw error
  }
  if (expected.sha256 === null) return "header"
  if ((await sha256Of(path, signal)) !== expected.sha256) throw refused(sentence("models.wrong_checksum"))
  return "sha256"
}

const refused = (why: Sentence, cause?: unknown) =>
  new AppError("unprocessable", sentence("models.file_deleted", { why }), {
    cause,
  })

async function sha256Of(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash("sha256")
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20, signal }))
    hash.update(chunk as Buffer)
  return hash.digest("hex")
}
