import { basename, dirname } from "node:path"
import type { ObjectFiles } from "../../../core/objects/kept-objects.ts"
import { getNames, type FileRow } from "../file-entry.ts"

/** The location of a file's bytes, valid until disposed. */
export interface StoredBytes extends Disposable {
  /** A directory. */
  root: string
  /** Path segments of the file inside it. */
  names: string[]
}

/** Finds the bytes of files in their folder's directory or as local copies of objects. Throws the errors of `hold`. */
export type FindBytes = (
  root: string,
  file: Pick<FileRow, "subFolder" | "name" | "object" | "size">,
) => Promise<StoredBytes>

export const createFindBytes =
  (objects: Pick<ObjectFiles, "hold"> | null): FindBytes =>
  async (root, file) => {
    if (file.object === null || objects === null)
      return { root, names: getNames(file), [Symbol.dispose]: () => undefined }
    const held = await objects.hold(file.object, file.size)
    return {
      root: dirname(held.path),
      names: [basename(held.path)],
      [Symbol.dispose]: () => held[Symbol.dispose](),
    }
  }
