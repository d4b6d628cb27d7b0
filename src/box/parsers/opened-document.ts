import { constants } from "node:fs"
import { open, type FileHandle } from "node:fs/promises"
import { reason } from "../../shared/contract/file-reasons.ts"
import { failure, ParseFailure } from "./parser.ts"
import type { ParserInput } from "./parser.ts"

/** What a file is, whatever its name. */
export interface FileIdentity {
  device: bigint
  inode: bigint
}

export async function identityOf(handle: FileHandle): Promise<FileIdentity> {
  const { dev, ino } = await handle.stat({ bigint: true })
  return { device: dev, inode: ino }
}

/** The document as an open file, which nobody can exchange while it is read. */
export interface OpenedDocument extends AsyncDisposable {
  input: ParserInput
}

/**
 * Opens a document, and makes sure that it is the one that was meant: whoever may write to its directory could have put
 * a link there meanwhile. Its path leads to the open file on Linux; elsewhere parsers open it by its name again.
 */
export async function openDocument(input: ParserInput): Promise<OpenedDocument> {
  const { path, identity } = input
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
  const handle = await open(path, flags)
  try {
    const found = await handle.stat({ bigint: true })
    if (found.isDirectory()) throw failure("is_directory")
    if (!found.isFile()) throw failure("not_regular_file")
    if (identity && (found.dev !== identity.device || found.ino !== identity.inode)) {
      throw new ParseFailure(reason("changed_while_read"), "failed", "exchanged")
    }
    return {
      input: process.platform === "linux" ? { ...input, path: `/proc/self/fd/${handle.fd}` } : input,
      [Symbol.asyncDispose]: () => handle.close(),
    }
  } catch (error) {
    await handle.close()
    throw error
  }
}
