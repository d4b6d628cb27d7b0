import { t } from "i18next"
import { useMemo, useState, type ReactNode } from "react"
import type { FileEntry } from "../../../../shared/contract/files.ts"
import type { Folder } from "../../../../shared/contract/folders.ts"
import { useOpenDocument } from "../../../lib/navigation/open-document.ts"
import { ConfirmDialog } from "../../../ui/layers/Dialog.tsx"
import { fileDeletions } from "./file-deletions.ts"
import { excludeFromSearch } from "./left-out.ts"
import { FilingDialog } from "../filing/FilingDialog.tsx"
import { FileDetailsDialog } from "./FileDetailsDialog.tsx"

export interface FileActions {
  /** Shows the text, or the details if there is no text. */
  open(file: FileEntry): void
  showDetails(file: FileEntry): void
  /** Changes its name, location or tags. */
  fileAs(file: FileEntry): void
  /** Deletes a file that the box stores, which can be undone. Excludes a file in the user's own directory from the index. */
  remove(file: FileEntry): void
  /** Deletes the file itself. In the user's own directory, asks for confirmation first. */
  removeFromDisk(file: FileEntry): void
}

/** Returns the actions of file rows and the dialogs they need. The actions stay the same object, because rows rely on it. */
export function useFileActions(folder: Pick<Folder, "id" | "owned" | "watched" | "folder">): {
  actions: FileActions
  dialogs: ReactNode
} {
  const { id, owned, watched, folder: path } = folder
  const openDocument = useOpenDocument()
  const [shown, setShown] = useState<{ as: "details" | "filing" | "removal"; file: FileEntry }>()
  const close = () => setShown(undefined)

  const actions = useMemo<FileActions>(
    () => ({
      open: (file) =>
        file.status === "completed"
          ? openDocument({ vectorId: id, fileId: file.id, fileName: file.name })
          : setShown({ as: "details", file }),
      showDetails: (file) => setShown({ as: "details", file }),
      fileAs: (file) => setShown({ as: "filing", file }),
      remove(file) {
        if (!owned) return
        if (!watched) void fileDeletions.remove({ id: file.id, name: file.name, folderId: id })
        else if (file.leftOut !== true) void excludeFromSearch(id, file)
      },
      removeFromDisk(file) {
        if (watched) setShown({ as: "removal", file })
        else void fileDeletions.remove({ id: file.id, name: file.name, folderId: id })
      },
    }),
    [id, owned, watched, openDocument],
  )

  const dialogs = shown && (
    <>
      {shown.as === "details" && (
        <FileDetailsDialog folderId={id} owned={owned} listed={shown.file} onClose={close} />
      )}
      {shown.as === "filing" && <FilingDialog folderId={id} file={shown.file} onClose={close} />}
      <ConfirmDialog
        open={shown.as === "removal"}
        onClose={close}
        onConfirm={() =>
          void fileDeletions.remove({ id: shown.file.id, name: shown.file.name, folderId: id })
        }
        title={t("folders:file.deleteTitle", { name: shown.file.name })}
        description={t("folders:file.deleteWatched", { path })}
        confirmLabel={t("folders:file.deleteFromDiskConfirm")}
      />
    </>
  )
  return { actions, dialogs }
}
