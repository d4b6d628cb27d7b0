/** A file to upload and its path in the folder. */
export interface UploadItem {
  /** Path inside the folder, including the file name. */
  relativePath: string
  open: () => Promise<File>
}

/** Returns all dropped files, including those in directories, except hidden ones. No file is opened yet. */
export async function readDroppedFiles(entries: FileSystemEntry[]): Promise<UploadItem[]> {
  const items: UploadItem[] = []
  const waiting = [...entries]
  for (let entry = waiting.pop(); entry; entry = waiting.pop()) {
    if (isHidden(entry.name)) continue
    if (isDirectory(entry)) waiting.push(...(await readDirectory(entry)))
    else if (isFile(entry)) {
      const file = entry
      items.push({
        relativePath: file.fullPath.replace(/^\//, ""),
        open: () => new Promise((resolve, reject) => file.file(resolve, reject)),
      })
    }
  }
  return items.sort((a, b) => a.relativePath.localeCompare(b.relativePath))
}

/** Returns the entries of a drop. Must be called while the drop event is handled. */
export const droppedEntries = (transfer: DataTransfer): FileSystemEntry[] =>
  [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? [])

/** Returns the files from a file chooser, except hidden ones in a chosen directory. */
export const chosenFiles = (files: Iterable<File>): UploadItem[] =>
  [...files]
    .map((file) => ({
      relativePath: file.webkitRelativePath || file.name,
      open: () => Promise.resolve(file),
    }))
    .filter(({ relativePath }) => !relativePath.split("/").some(isHidden))

const isHidden = (name: string): boolean => name.startsWith(".")

const isDirectory = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory
const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile

async function readDirectory(directory: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = directory.createReader()
  const entries: FileSystemEntry[] = []
  for (;;) {
    // A reader returns up to a hundred entries at a time, then none.
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (batch.length === 0) return entries
    entries.push(...batch)
  }
}

/** The last part of a path from any operating system, also inside quotes. It is the default name of a new folder. */
export const toFolderName = (path: string): string =>
  path
    .trim()
    .replaceAll(/^["']|["']$/g, "")
    .split(/[\\/]/)
    .findLast((segment) => segment !== "" && segment !== "~") ?? ""
