import { t } from "i18next"
import { Upload } from "lucide-react"
import type { ReactNode } from "react"
import { DropArea } from "../../../ui/controls/FileInput.tsx"
import { showToast } from "../../../lib/toasts.ts"
import { droppedEntries, readDroppedFiles, type UploadItem } from "./read-dropped-files.ts"
import { uploads } from "./uploads.ts"

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
