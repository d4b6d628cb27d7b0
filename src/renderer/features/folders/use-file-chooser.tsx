import { t } from "i18next"
import { useRef, type ReactNode } from "react"
import { showToast } from "../../ui/toasts.ts"
import { chosenFiles, type UploadItem } from "./read-dropped-files.ts"

interface FileChooser {
  openFiles(): void
  openDirectory(): void
  /** What the browser's choosers belong to; has to be drawn somewhere. */
  inputs: ReactNode
}

/** The browser's choosers for files and for a whole directory. */
export function useFileChooser(onItems: (items: UploadItem[]) => void): FileChooser {
  const files = useRef<HTMLInputElement>(null)
  const directory = useRef<HTMLInputElement>(null)
  const take = (input: HTMLInputElement) => {
    const items = chosenFiles(input.files ?? [])
    input.value = ""
    if (items.length === 0) showToast(t("folders:add.nothing"))
    else onItems(items)
  }
  const inputs = (
    <>
      <input
        ref={files}
        type="file"
        multiple
        hidden
        aria-label={t("folders:add.filesLabel")}
        onChange={(event) => take(event.target)}
      />
      <input
        ref={directory}
        type="file"
        hidden
        aria-label={t("folders:add.directoryLabel")}
        {...{ webkitdirectory: "" }}
        onChange={(event) => take(event.target)}
      />
    </>
  )
  return {
    openFiles: () => files.current?.click(),
    openDirectory: () => directory.current?.click(),
    inputs,
  }
}
