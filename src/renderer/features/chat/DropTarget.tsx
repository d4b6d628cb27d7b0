import { t } from "i18next"
import { Paperclip } from "lucide-react"
import { useRef, useState, type DragEvent, type ReactNode } from "react"

interface DropTargetProps {
  onFiles: (files: File[]) => void
  children: ReactNode
}

const holdsFiles = (event: DragEvent) => event.dataTransfer.types.includes("Files")

/** Takes files dropped anywhere on the chat. Directories belong into folders. */
export function DropTarget({ onFiles, children }: DropTargetProps) {
  const [over, setOver] = useState(false)
  const depth = useRef(0)
  function move(change: 1 | -1) {
    depth.current += change
    setOver(depth.current > 0)
  }

  function drop(event: DragEvent) {
    depth.current = 0
    setOver(false)
    if (!holdsFiles(event)) return
    event.preventDefault()
    const files = [...event.dataTransfer.items].flatMap((item) =>
      item.webkitGetAsEntry()?.isFile === true ? (item.getAsFile() ?? []) : [],
    )
    if (files.length > 0) onFiles(files)
  }

  return (
    <div
      className="relative flex min-h-0 min-w-0 flex-1 flex-col"
      onDragEnter={(event) => holdsFiles(event) && move(1)}
      onDragLeave={(event) => holdsFiles(event) && move(-1)}
      onDragOver={(event) => holdsFiles(event) && event.preventDefault()}
      onDrop={drop}
    >
      {children}
      {over && (
        <div className="pointer-events-none absolute inset-2 z-10 flex flex-col items-center justify-center gap-2 rounded-xl border-2 border-dashed border-accent bg-tint">
          <Paperclip className="size-6 text-accent" aria-hidden />
          <p className="max-w-full truncate px-6 font-medium text-accent">{t("chat:attach.drop")}</p>
        </div>
      )}
    </div>
  )
}
