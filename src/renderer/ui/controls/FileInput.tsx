import type { LucideIcon } from "lucide-react"
import { useRef, type ReactNode, useState, type DragEvent } from "react"

interface FileInputOptions {
  label: string
  /** Accepted media types and extensions, in the browser's format. */
  accept?: string
  multiple?: boolean
  /** Chooses a whole directory. */
  directory?: boolean
  /** Receives at least one file, unless a chosen directory is empty. */
  onFiles: (files: File[]) => void
}

interface FileInput {
  open: () => void
  /** The chooser's input element; must be rendered somewhere. */
  input: ReactNode
}

/** The browser's own file chooser. */
export function useFileInput({ label, directory = false, onFiles, ...rest }: FileInputOptions): FileInput {
  const element = useRef<HTMLInputElement>(null)
  const input = (
    <input
      ref={element}
      type="file"
      hidden
      aria-label={label}
      {...rest}
      {...(directory ? { webkitdirectory: "" } : {})}
      onChange={({ target }) => {
        const files = [...(target.files ?? [])]
        target.value = "" // so that the same file can be chosen again
        onFiles(files)
      }}
    />
  )
  return { open: () => element.current?.click(), input }
}

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
