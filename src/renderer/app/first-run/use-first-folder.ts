import { t } from "i18next"
import { useState } from "react"
import { useCreateFolder } from "../../data/folders/folders.ts"
import { toFolderName } from "../../features/folders/uploads/name-of-path.ts"
import type { UploadItem } from "../../features/folders/uploads/read-dropped-files.ts"
import { uploads } from "../../features/folders/uploads/uploads.ts"
import { nameForItems } from "./name-for-items.ts"

const maxNameLength = 120

export interface FirstFolder {
  /** Adds files to a folder, or to a new folder named after them. */
  addItems(items: UploadItem[], folderId?: string): void
  /** Creates a folder that follows a directory. */
  follow(path: string): void
  tryExample(): void
  isExample: boolean
  isPending: boolean
  error: Error | null
}

/** Creates the first folder from any source. */
export function useFirstFolder(onFolder: (folderId: string) => void): FirstFolder {
  const create = useCreateFolder()
  const [isExample, setIsExample] = useState(false)

  function make(name: string, items: UploadItem[], folder?: string): void {
    create.mutate(
      { name: name.slice(0, maxNameLength), ...(folder === undefined ? {} : { folder }) },
      {
        onSuccess({ vector }) {
          if (items.length > 0) uploads.add(vector.id, items)
          onFolder(vector.id)
        },
      },
    )
  }

  return {
    addItems(items, folderId) {
      if (folderId === undefined) make(nameForItems(items) ?? t("firstRun:folderName"), items)
      else uploads.add(folderId, items)
    },
    follow: (path) => make(toFolderName(path) || path, [], path),
    tryExample() {
      const name = t("firstRun:exampleFile")
      const file = new File([t("firstRun:exampleText")], name, { type: "text/markdown" })
      setIsExample(true)
      make(t("firstRun:exampleFolder"), [{ relativePath: name, open: () => Promise.resolve(file) }])
    },
    isExample,
    isPending: create.isPending,
    error: create.error,
  }
}
