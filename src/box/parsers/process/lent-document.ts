import { rmSync } from "node:fs"
import { copyFile, link, lstat, symlink } from "node:fs/promises"
import { fileFailure } from "../document/file-failure.ts"
import { failure, type ParserInput } from "../parser.ts"

/** A document by the only path of it that a parser may open. */
export interface Lent extends Disposable {
  input: ParserInput
}

type Way = (from: string, to: string) => Promise<void>

/** Where a file system has no symbolic links, or Windows grants none: the file under a second name, or at last a copy. */
const ways: readonly Way[] = [symlink, link, copyFile]

/**
 * Puts a link to a document where a parser may read it. The parser makes sure that what it opens by that name is the file
 * that stands there now, and none that takes its place; a document that is a link itself leads who knows where.
 */
export async function lendDocument(input: ParserInput, path: string, how = ways): Promise<Lent> {
  const found = await lstat(input.path, { bigint: true }).catch((error: unknown) => {
    throw fileFailure(error) ?? error
  })
  if (found.isSymbolicLink()) throw failure("gone")
  // a link to a directory would be a way into everything around it
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
