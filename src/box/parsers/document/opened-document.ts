import { constants, rmSync } from "node:fs"
import { open, type FileHandle, copyFile, link, lstat, symlink } from "node:fs/promises"
import { reason } from "../../../shared/contract/file-reasons.ts"
import {
  failure,
  ParseFailure,
  type FileIdentity,
  type OpenedInput,
  type ParserInput,
  fileFailure,
} from "../parser.ts"
import { toDocumentFile } from "./document-file.ts"

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

/** A document at the only path that a parser may open. */
export interface Lent extends Disposable {
  input: ParserInput
}

type Way = (from: string, to: string) => Promise<void>

/** Fallbacks for file systems without symbolic links, or Windows without the permission for them: a hard link, and finally a copy. */
const ways: readonly Way[] = [symlink, link, copyFile]

/**
 * Creates a link to a document where a parser may read it. The parser checks that it opens exactly this file and no replacement. A document
 * that is a link itself is refused, because it may lead anywhere.
 */
export async function lendDocument(input: ParserInput, path: string, how = ways): Promise<Lent> {
  const found = await lstat(input.path, { bigint: true }).catch((error: unknown) => {
    throw fileFailure(error) ?? error
  })
  if (found.isSymbolicLink()) throw failure("gone")
  // A link to a directory would give access to everything around it.
  if (found.isDirectory()) throw failure("is_directory")
  if (!found.isFile()) throw failure("not_regular_file")
  const way = await firstThatWorks(input.path, path, how)
  const identity = input.identity ?? { device: found.dev, inode: found.ino }
  const { identity: _, ...rest } = input
  return {
    input: { ...rest, path, ...(way !== copyFile && { identity }) },
    [Symbol.dispose]: () => rmSync(path, { force: true }),
  }
}

async function firstThatWorks(from: string, to: string, [way, ...others]: readonly Way[]): Promise<Way> {
  if (!way) throw failure("not_allowed")
  try {
    await way(from, to)
    return way
  } catch {
    return firstThatWorks(from, to, others)
  }
}
