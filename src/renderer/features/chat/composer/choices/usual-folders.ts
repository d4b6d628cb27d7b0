const key = "last-folders"

/** Returns the folders of the last question on this computer. Before the first question, returns the folder if there is only one. */
export function usualFolders(folders: readonly { id: string }[] = []): string[] {
  const stored = localStorage.getItem(key)
  if (stored === null) return folders.length === 1 ? folders.map(({ id }) => id) : []
  return stored.split(" ").filter((id) => id !== "")
}

export function rememberFolders(folderIds: readonly string[]): void {
  localStorage.setItem(key, folderIds.join(" "))
}
