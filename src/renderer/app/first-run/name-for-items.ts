import type { UploadItem } from "../../features/folders/uploads/read-dropped-files.ts"

/** Returns the name for a folder with these files: the directory that contains all of them, if there is one. */
export function nameForItems(items: Pick<UploadItem, "relativePath">[]): string | undefined {
  const tops = new Set(items.map(({ relativePath }) => relativePath.split("/").slice(0, -1)[0]))
  return tops.size === 1 ? [...tops][0] : undefined
}
