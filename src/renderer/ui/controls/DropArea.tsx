import type { LucideIcon } from "lucide-react"
import { useRef, useState, type DragEvent, type ReactNode } from "react"

interface DropAreaProps {
  /** Describes what a drop would do; shown while files hover. */
  invitation: string
  icon: LucideIcon
  /** Called while the drop event is handled. Afterwards the browser discards the dropped data. */
  onDrop: (dropped: DataTransfer) => void
  children: ReactNode
}

const hasFiles = (event: DragEvent) => event.dataTransfer.types.includes("Files")

/** Accepts files dropped anywhere on it. */
export function DropArea({ invitation, icon: Icon, onDrop, children }: DropAreaProps) {
  const [over, setOver] = useState(false)
  const depth = useRef(0)

  function move(change: 1 | -1) {
    depth.current += change
    setOver(depth.current > 0)
  }

  return (
    <div
      className="relative flex min-h-0 min-w-0 flex-1 flex-col"
      onDragEnter={(event) => hasFiles(event) && move(1)}
      onDragLeave={(event) => hasFiles(event) && move(-1)}
      onDragOver={(event) => hasFiles(event) && event.preventDefault()}
      onDrop={(event) => {
        depth.current = 0
        setOver(false)
        if (!hasFiles(event)) return
        event.preventDefault()
        onDrop(event.dataTransfer)
      }}
    >
      {children}
      {over && (
        <div className="pointer-events-none absolute inset-2 z-10 flex flex-col items-center justify-center gap-2 rounded-xl border-2 border-dashed border-accent bg-tint">
          <Icon className="size-6 text-accent" aria-hidden />
          <p className="max-w-full truncate px-6 font-medium text-accent">{invitation}</p>
        </div>
      )}
    </div>
  )
}
