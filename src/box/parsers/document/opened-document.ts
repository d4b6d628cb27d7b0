import { constants } from "node:fs"
import { open, type FileHandle } from "node:fs/promises"
import { reason } from "../../../shared/contract/file-reasons.ts"
import { toDocumentFile } from "./document-file.ts"
import { failure, ParseFailure } from "../parser.ts"
import type { FileIdentity, OpenedInput, ParserInput } from "../parser.ts"

export async function getIdentity(handle: FileHandle): Promise<FileIdentity> {
  const { dev, ino } = await handle.stat({ bigint: true })
  return { device: dev, inode: ino }
}

/** A document as an open file, which can't be replaced while it is read. */
export interface OpenedDocument extends AsyncDisposable {
  input: OpenedInput
}

/**
 * Opens a document and checks that it is the intended one, because anyone who can write to its directory could have replaced it. It is
 * opened only once; readers get the open file and no path.
 */
export async function openDocument(input: ParserInput): Promise<OpenedDocument> {
  const { path, identity, ...rest } = input
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)
  const handle = await open(path, flags)
  try {
    const found = await handle.stat({ bigint: true })
    if (found.isDirectory()) throw failure("is_directory")
    if (!found.isFile()) throw failure("not_regular_file")
    if (identity && (found.dev !== identity.device || found.ino !== identity.inode)) {
      throw new ParseFailure(reason("changed_while_read"), "failed", "exchanged")
    }
    return {
      input: { ...rest, file: await toDocumentFile(handle) },
      [Symbol.asyncDispose]: () => handle.close(),
    }
  } catch (error) {
    await handle.close()
    throw error
  }
}
