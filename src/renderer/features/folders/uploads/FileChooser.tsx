import { t } from "i18next"
import { Upload } from "lucide-react"
import type { ReactNode } from "react"
import { showToast } from "../../../lib/toasts.ts"
import { useFileInput, DropArea } from "../../../ui/controls/FileInput.tsx"
import { chosenFiles, type UploadItem, droppedEntries, readDroppedFiles, uploads } from "./upload-queue.ts"

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

interface DropZoneProps {
  /** Describes what a drop would do; shown while files hover. */
  invitation: string
  onItems: (items: UploadItem[]) => void
  children: ReactNode
}

/** Accepts files and directories dropped anywhere on it. */
export function DropZone({ invitation, onItems, children }: DropZoneProps) {
  async function take(entries: FileSystemEntry[]) {
    try {
      const items = await uploads.collect(readDroppedFiles(entries))
      if (items.length === 0) showToast(t("folders:add.nothing"))
      else onItems(items)
    } catch {
      showToast(t("folders:add.unreadable"), "error") // the browser gives no further reason
    }
  }
  return (
    <DropArea invitation={invitation} icon={Upload} onDrop={(dropped) => void take(droppedEntries(dropped))}>
      {children}
    </DropArea>
  )
}
