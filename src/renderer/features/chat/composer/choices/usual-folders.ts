const key = "last-folders"

/** The folders of the question that was asked last on this computer; before any was, the only one there is. */
export function usualFolders(folders: readonly { id: string }[] = []): string[] {
  const stored = localStorage.getItem(key)
  if (stored === null) return folders.length === 1 ? folders.map(({ id }) => id) : []
  return stored.split(" ").filter((id) => id !== "")
}

export function rememberFolders(folderIds: readonly string[]): void {
  localStorage.setItem(key, folderIds.join(" "))
}
