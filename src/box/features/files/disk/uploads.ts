import { chmod, rm, stat, utimes, open } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { lookup } from "mime-types"
import type { Receive, ReceivedFile } from "../../../../serve/serve.ts"
import { AppError, invalidField } from "../../../../shared/contract/errors.ts"
import { reason, reasonSentence } from "../../../../shared/contract/file-reasons.ts"
import type { FileReason, UploadReceipt } from "../../../../shared/contract/files.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { dataDirectoryMarkers } from "../../../core/data-directory/marker.ts"
import { partialPrefix } from "../../../core/files/durable-file.ts"
import { makeDirectoryInside, parseRelativePath, storedName } from "../../../core/files/path-jail.ts"
import { newId } from "../../../core/ids.ts"
import { loadIgnoreRules } from "../../../engines/folder-watcher/scan.ts"
import { detectionBytes } from "../../../parsers/parser.ts"
import { getPath, type FileRow } from "../file-entry.ts"
import { notThere } from "../following/known-directories.ts"

/** Fields that may accompany the bytes. A replacement has no path and stays in its sub-folder. */
export interface UploadFields {
  relativePath?: string | undefined
  client_id?: string | undefined
  lastModified?: string | undefined
  /** JSON of a `GeneratedBy`. */
  generatedBy?: string | undefined
}

export interface UploadTarget {
  id: string
  path: string
  managed: boolean
  pipeline: "full" | "light"
}

/** The directory that stores uploads while they are received. */
export interface Staging {
  /** Used for the box's own folders. */
  directory: string
  /** ID of the data directory, used in directories that other boxes may follow too. */
  owner: string
}

/** Name prefix of files that a box with this data directory receives into a user's own directory. */
export const ownPartialPrefix = (owner: string) => `${partialPrefix}${owner}-`

/** A complete upload, stored on disk near its final location. */
export interface StagedUpload extends AsyncDisposable {
  path: string
  received: ReceivedFile<UploadFields>
  directories: string[]
  name: string
}

/**
 * Receives an upload and checks its name, size and type, without placing it. Disposing removes an upload that wasn't placed. Throws
 * `validation`, `unsupported_type`, `file_too_large`.
 */
export async function stageUpload(
  receive: Receive<UploadFields>,
  folder: UploadTarget,
  staging: Staging,
): Promise<StagedUpload> {
  // There may be no writable place on the same file system outside a user's own directory, so the upload is staged inside it.
  const { directory, owner } = staging
  const path = folder.managed
    ? join(directory, newId())
    : join(folder.path, ownPartialPrefix(owner) + newId())
  if (folder.managed) await makeDirectoryInside(dirname(directory), [basename(directory)])
  const getNames = (fileName: string, { relativePath }: UploadFields) =>
    relativePath ? parseRelativePath(relativePath) : [storedName(fileName)]
  try {
    const received = await receive({
      path,
      headBytes: detectionBytes,
      async onHead(head, fileName, fields) {
        // Without a path, the name may still change, so the type is checked at the end.
        if (fields.relativePath !== undefined) await requireType(head, getNames(fileName, fields), folder)
      },
    })
    const names = getNames(received.fileName, received.fields)
    await requireVisible(names, folder)
    await requireType(received.head, names, folder)
    await setModifiedTime(path, received.fields.lastModified)
    if (!folder.managed) await addPermissions(path, (await stat(folder.path)).mode & 0o664)
    return {
      path,
      received,
      directories: names.slice(0, -1),
      name: names.at(-1) ?? "file",
      [Symbol.asyncDispose]: () => rm(path, { force: true }),
    }
  } catch (error) {
    await rm(path, { force: true })
    throw toRefusal(error)
  }
}

/** Sets the modification time that the sender specified, unless it is in the future. */
async function setModifiedTime(path: string, lastModified: string | undefined): Promise<void> {
  const modifiedMs = Number(lastModified ?? 0)
  if (modifiedMs > 0 && modifiedMs <= Date.now()) await utimes(path, new Date(), new Date(modifiedMs))
}

/** The box's files are readable only by their owner, but in a user's own directory others may need to read them too. */
export async function addPermissions(path: string, mode: number): Promise<void> {
  await chmod(path, 0o600 | (mode & 0o777)).catch(() => undefined) // not every file system has modes
}

async function requireType(head: Buffer, names: readonly string[], folder: UploadTarget): Promise<void> {
  const { detectUpload } = await import("../../../parsers/document/detect-type.ts")
  const detection = await detectUpload(head, names.at(-1) ?? "", folder.pipeline)
  if ("unsupported" in detection) throw refusal("unsupported_type", detection.unsupported)
}

/** Refuses names that following the directory would exclude. */
export async function requireVisible(names: readonly string[], folder: UploadTarget): Promise<void> {
  if (folder.managed) return
  const sign = names.find((name) => dataDirectoryMarkers.includes(name))
  if (sign !== undefined) throw invalidField("relativePath", sentence("files.own_data", { sign }))
  const rules = await loadIgnoreRules(folder.path)
  if (!rules.ignores(names.join("/"), "file")) return
  throw invalidField("relativePath", sentence("files.left_out"))
}

/** Returns a 422 error with the reason as text, and for programs in `details.reason`. */
const refusal = (code: "unsupported_type" | "file_too_large", fileReason: FileReason) =>
  new AppError(code, reasonSentence(fileReason), { details: { reason: fileReason } })

function toRefusal(error: unknown): unknown {
  if (error instanceof AppError && error.code === "file_too_large") {
    return refusal("file_too_large", reason("too_large"))
  }
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") return error
  return notThere(error)
}

/** Returns the response to an upload or a replacement. */
export function createReceipt(
  row: FileRow,
  folder: UploadTarget,
  received: ReceivedFile<UploadFields>,
): UploadReceipt {
  return {
    status: "accepted",
    message: "The file is stored and will be indexed in the background.",
    collection: folder.id,
    files: [
      {
        id: row.id,
        filename: row.name,
        originalFilename: received.fileName,
        client_id: received.fields.client_id ?? null,
        path: join(folder.path, getPath(row)),
        size: row.size,
        mimetype: lookup(row.name) || "application/octet-stream",
        relativePath: `${folder.id}/${getPath(row)}`,
      },
    ],
    task_ids: [row.id],
  }
}

/** Handles bytes that the server fetched itself as an upload. */
export const bytesAsUpload =
  (fileName: string, bytes: Buffer, fields: UploadFields = {}): Receive<UploadFields> =>
  async ({ path, headBytes }) => {
    await using file = await open(path, "wx")
    await file.writeFile(bytes)
    await file.sync()
    return { fileName, size: bytes.byteLength, head: bytes.subarray(0, headBytes), fields }
  }
