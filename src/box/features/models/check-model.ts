import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { stat } from "node:fs/promises"
import { AppError } from "../../../shared/contract/errors.ts"
import { readGgufHeader } from "../../engines/llama/gguf-header.ts"

/**
 * Checks a downloaded file against what is known of it, and that it is a model at all.
 *
 * @returns how it was checked. @throws AppError `unprocessable` when it isn't what it should be.
 */
export async function checkModel(
  path: string,
  expected: { sizeBytes: number | null; sha256: string | null },
  signal: AbortSignal,
): Promise<"sha256" | "header"> {
  const { size } = await stat(path)
  if (expected.sizeBytes !== null && size !== expected.sizeBytes) {
    throw refused(`it has ${size} bytes instead of ${expected.sizeBytes}`)
  }
  try {
    readGgufHeader(path)
  } catch (error) {
    if (error instanceof AppError) throw refused("it isn't a complete GGUF model", error)
    throw error
  }
  if (expected.sha256 === null) return "header"
  if ((await sha256Of(path, signal)) !== expected.sha256) throw refused("its checksum is wrong")
  return "sha256"
}

const refused = (why: string, cause?: unknown) =>
  new AppError(
    "unprocessable",
    `The downloaded file was deleted: ${why}. Try again, or choose another mirror.`,
    {
      cause,
    },
  )

async function sha256Of(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash("sha256")
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20, signal }))
    hash.update(chunk as Buffer)
  return hash.digest("hex")
}
