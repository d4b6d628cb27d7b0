import { basename, dirname } from "node:path"
import type { KeptObjects } from "../../../core/objects/kept-objects.ts"
import { namesOf, type FileRow } from "../file-entry.ts"

/** Where the bytes of a file are, until this is disposed of. */
export interface StoredBytes extends Disposable {
  /** A directory. */
  root: string
  /** Lead to the file in it. */
  names: string[]
}

/** Finds the bytes of files, in their folder's directory or as copies of objects. Throws as `hold` does. */
export type FindBytes = (
  root: string,
  file: Pick<FileRow, "subFolder" | "name" | "object" | "size">,
) => Promise<StoredBytes>

export const createFindBytes =
  (objects: Pick<KeptObjects, "hold"> | null): FindBytes =>
  async (root, file) => {
    if (file.object === null || objects === null)
      return { root, names: namesOf(file), [Symbol.dispose]: () => undefined }
    const held = await objects.hold(file.object, file.size)
    return {
      root: dirname(held.path),
      names: [basename(held.path)],
      [Symbol.dispose]: () => held[Symbol.dispose](),
    }
  }
