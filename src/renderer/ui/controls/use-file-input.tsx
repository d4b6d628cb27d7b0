import { useRef, type ReactNode } from "react"

interface FileInputOptions {
  label: string
  /** Media types and endings that are offered, as the browser takes them. */
  accept?: string
  multiple?: boolean
  /** Takes a whole directory. */
  directory?: boolean
  /** At least one, unless a chosen directory is empty. */
  onFiles: (files: File[]) => void
}

interface FileInput {
  open: () => void
  /** What the chooser belongs to; has to be drawn somewhere. */
  input: ReactNode
}

/** The browser's own chooser of files. */
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
        target.value = "" // so that the same one can be chosen again
        onFiles(files)
      }}
    />
  )
  return { open: () => element.current?.click(), input }
}
