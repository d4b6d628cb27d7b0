import { t } from "i18next"
import { Upload } from "lucide-react"
import { useRef, useState, type DragEvent, type ReactNode } from "react"
import { showToast } from "../../ui/toasts.ts"
import { droppedEntries, readDroppedFiles, type UploadItem } from "./read-dropped-files.ts"
import { uploads } from "./uploads.ts"

interface DropZoneProps {
  /** What a drop would do, shown while something hovers. */
  invitation: string
  onItems: (items: UploadItem[]) => void
  children: ReactNode
}

/** Takes files and directories dropped anywhere on it. */
export function DropZone({ invitation, onItems, children }: DropZoneProps) {
  const [over, setOver] = useState(false)
  const depth = useRef(0)

  function move(change: 1 | -1) {
    depth.current += change
    setOver(depth.current > 0)
  }
  const holdsFiles = (event: DragEvent) => event.dataTransfer.types.includes("Files")

  async function drop(event: DragEvent) {
    depth.current = 0
    setOver(false)
    if (!holdsFiles(event)) return
    event.preventDefault()
    const entries = droppedEntries(event.dataTransfer)
    try {
      const items = await uploads.collect(readDroppedFiles(entries))
      if (items.length === 0) showToast(t("folders:add.nothing"))
      else onItems(items)
    } catch {
      showToast(t("folders:add.unreadable"), "error") // the browser says no more than that
    }
  }

  return (
    <div
      className="relative flex min-h-0 min-w-0 flex-1 flex-col"
      onDragEnter={(event) => holdsFiles(event) && move(1)}
      onDragLeave={(event) => holdsFiles(event) && move(-1)}
      onDragOver={(event) => holdsFiles(event) && event.preventDefault()}
      onDrop={(event) => void drop(event)}
    >
      {children}
      {over && (
        <div className="pointer-events-none absolute inset-2 z-10 flex flex-col items-center justify-center gap-2 rounded-xl border-2 border-dashed border-accent bg-tint">
          <Upload className="size-6 text-accent" aria-hidden />
          <p className="max-w-full truncate px-6 font-medium text-accent">{invitation}</p>
        </div>
      )}
    </div>
  )
}
