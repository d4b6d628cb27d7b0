import { t } from "i18next"
import type { ReactNode } from "react"
import { showToast } from "../../../lib/toasts.ts"
import { useFileInput } from "../../../ui/controls/FileInput.tsx"
import { chosenFiles, type UploadItem } from "./read-dropped-files.ts"

export interface FileChooser {
  openFiles(this: void): void
  openDirectory(this: void): void
  /** The input elements of the browser's choosers; must be rendered somewhere. */
  inputs: ReactNode
}

/** The browser's choosers for files and for a whole directory. */
export function useFileChooser(onItems: (items: UploadItem[]) => void): FileChooser {
  function onFiles(files: File[]) {
    const items = chosenFiles(files)
    if (items.length === 0) showToast(t("folders:add.nothing"))
    else onItems(items)
  }
  const files = useFileInput({ label: t("folders:add.filesLabel"), multiple: true, onFiles })
  const directory = useFileInput({ label: t("folders:add.directoryLabel"), directory: true, onFiles })
  return {
    openFiles: files.open,
    openDirectory: directory.open,
    inputs: (
      <>
        {files.input}
        {directory.input}
      </>
    ),
  }
}
