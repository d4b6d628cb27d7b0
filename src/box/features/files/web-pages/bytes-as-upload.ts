import { open } from "node:fs/promises"
import type { Receive } from "../../../../serve/receive.ts"
import type { UploadFields } from "../disk/uploads.ts"

/** Handles bytes that the server fetched itself as an upload. */
export const bytesAsUpload =
  (fileName: string, bytes: Buffer, fields: UploadFields = {}): Receive<UploadFields> =>
  async ({ path, headBytes }) => {
    await using file = await open(path, "wx")
    await file.writeFile(bytes)
    await file.sync()
    return { fileName, size: bytes.byteLength, head: bytes.subarray(0, headBytes), fields }
  }
