import { t } from "i18next"
import { Paperclip } from "lucide-react"
import type { ReactNode } from "react"
import { DropArea } from "../../../ui/controls/FileInput.tsx"

interface DropTargetProps {
  onFiles: (files: File[]) => void
  children: ReactNode
}

/** Accepts files dropped anywhere on the chat. Directories must be added to folders instead. */
export function DropTarget({ onFiles, children }: DropTargetProps) {
  function drop({ items }: DataTransfer) {
    const files = [...items].flatMap((item) =>
      item.webkitGetAsEntry()?.isFile === true ? (item.getAsFile() ?? []) : [],
    )
    if (files.length > 0) onFiles(files)
  }
  return (
    <DropArea invitation={t("chat:attach.drop")} icon={Paperclip} onDrop={drop}>
      {children}
    </DropArea>
  )
}
