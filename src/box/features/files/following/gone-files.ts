import type { IgnoreRules } from "../../../engines/folder-watcher/ignore-rules.ts"
import { scan } from "../../../engines/folder-watcher/scan.ts"
import { certainPart } from "../../../engines/folder-watcher/shown-names.ts"
import { pathOf, type FileRow } from "../file-entry.ts"
import type { FolderPlace } from "../folder-places.ts"
import type { FileStore } from "../store.ts"

/** What is needed to check whether files are gone. */
export interface GoneFilesDeps {
  store: Pick<FileStore, "byIds">
  folder: Pick<FolderPlace, "id" | "path">
  rules: IgnoreRules
  signal: AbortSignal
}

/** Returns those of a folder's files that aren't in their place or are excluded by the rules. */
export async function goneOf(
  candidates: readonly FileRow[],
  { store, folder, rules, signal }: GoneFilesDeps,
): Promise<FileRow[]> {
  const missing: FileRow[] = []
  for (const row of await stillKnown(candidates, store, folder.id)) {
    const path = pathOf(row)
    if (!(await scan(folder.path, certainPart(path), rules, signal)).files.has(path)) missing.push(row)
  }
  return missing
}

/** Leaves out files that someone deleted in the meantime and may restore. */
export function stillKnown(
  rows: readonly FileRow[],
  store: Pick<FileStore, "byIds">,
  folderId: string,
): Promise<FileRow[]> {
  const ids = rows.map((row) => row.id)
  return store.byIds(ids, folderId)
}
