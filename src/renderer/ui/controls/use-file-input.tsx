import { useRef, type ReactNode } from "react"

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
