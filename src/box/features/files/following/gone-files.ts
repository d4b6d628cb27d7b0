import type { IgnoreRules } from "../../../engines/folder-watcher/ignore-rules.ts"
import { scan } from "../../../engines/folder-watcher/scan.ts"
import { certainPart } from "../../../engines/folder-watcher/shown-names.ts"
import { getPath, type FileRow } from "../file-entry.ts"
import type { StoredFolder } from "../folder-places.ts"
import type { FileStore } from "../store.ts"

/** Dependencies of the check whether files are gone. */
export interface GoneFilesDeps {
  store: Pick<FileStore, "findByIds">
  folder: Pick<StoredFolder, "id" | "path">
  rules: IgnoreRules
  signal: AbortSignal
}

/** Returns those of a folder's files that aren't in their place or are excluded by the rules. */
export async function findGoneFiles(
  candidates: readonly FileRow[],
  { store, folder, rules, signal }: GoneFilesDeps,
): Promise<FileRow[]> {
  const missing: FileRow[] = []
  for (const row of await stillKnown(candidates, store, folder.id)) {
    const path = getPath(row)
    if (!(await scan(folder.path, certainPart(path), rules, signal)).files.has(path)) missing.push(row)
  }
  return missing
}

/** Leaves out files that someone deleted in the meantime and may restore. */
export function stillKnown(
  rows: readonly FileRow[],
  store: Pick<FileStore, "findByIds">,
  folderId: string,
): Promise<FileRow[]> {
  const ids = rows.map((row) => row.id)
  return store.findByIds(ids, folderId)
}
