import { t } from "i18next"
import {
  Ban,
  CirclePlus,
  Download,
  FilePen,
  FileText,
  Info,
  KeyRound,
  Languages,
  MessageCircleQuestion,
  Replace,
  RotateCcw,
  Trash2,
} from "lucide-react"
import { Suspense, useMemo, useState, type ReactNode } from "react"
import type { FileEntry } from "../../../../shared/contract/files.ts"
import type { Folder } from "../../../../shared/contract/folders.ts"
import { fileDownloadPath, isSettled, useReplaceFile, useRetryFile } from "../../../data/folders/files.ts"
import { download } from "../../../lib/browser/download.ts"
import { later } from "../../../lib/later.ts"
import { navigate } from "../../../lib/navigation/hash-location.ts"
import { useOpenDocument } from "../../../lib/navigation/open-document.ts"
import { routes } from "../../../lib/navigation/routes.ts"
import { showError, showToast } from "../../../lib/toasts.ts"
import { isLocked } from "../../../lib/words/sentence.ts"
import { useFileInput } from "../../../ui/controls/FileInput.tsx"
import { ConfirmDialog } from "../../../ui/layers/Dialog.tsx"
import { Menu, MenuItem, type MenuTrigger, RowMenu } from "../../../ui/layers/Menu.tsx"
import { FilingDialog } from "../filing/FilingDialog.tsx"
import { FileDetailsDialog } from "./FileDetailsDialog.tsx"
import { fileDeletions, excludeFromSearch, includeInSearch } from "./file-commands.ts"
import { mayReadOtherwise } from "./read-as.ts"

const ReadAsDialog = later(async () => (await import("./ReadAsDialog.tsx")).ReadAsDialog)

export interface FileActions {
  /** Shows the text, or the details if there is no text. */
  open(file: FileEntry): void
  showDetails(file: FileEntry): void
  /** Changes its name, location or tags. */
  fileAs(file: FileEntry): void
  /** Chooses its encoding. */
  readAs(file: FileEntry): void
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
  const [shown, setShown] = useState<{ as: "details" | "filing" | "removal" | "reading"; file: FileEntry }>()
  const close = () => setShown(undefined)

  const actions = useMemo<FileActions>(
    () => ({
      open: (file) =>
        file.status === "completed"
          ? openDocument({ vectorId: id, fileId: file.id, fileName: file.name })
          : setShown({ as: "details", file }),
      showDetails: (file) => setShown({ as: "details", file }),
      fileAs: (file) => setShown({ as: "filing", file }),
      readAs: (file) => setShown({ as: "reading", file }),
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
      {shown.as === "reading" && (
        <Suspense>
          <ReadAsDialog folderId={id} file={shown.file} onClose={close} />
        </Suspense>
      )}
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

interface FileMenuProps {
  folderId: string
  owned: boolean
  /** Whether the file is in the user's own directory. */
  watched: boolean
  file: FileEntry
  actions: FileActions
}

/** The menu of actions for a file. */
export function FileMenu(props: FileMenuProps) {
  return (
    <RowMenu
      label={t("folders:file.actions", { name: props.file.name })}
      renderMenu={(trigger) => <OpenMenu {...props} trigger={trigger} />}
    />
  )
}

function OpenMenu({
  folderId,
  owned,
  watched,
  file,
  actions,
  trigger,
}: FileMenuProps & { trigger: MenuTrigger }) {
  const retry = useRetryFile(folderId)
  const replace = useReplaceFile(folderId)
  const busy = !isSettled(file)

  const chooser = useFileInput({
    label: t("folders:file.replaceLabel", { name: file.name }),
    onFiles([chosen]) {
      if (!chosen) return
      const onSuccess = () => showToast(t("folders:file.replaced", { name: file.name }))
      replace.mutate({ fileId: file.id, file: chosen }, { onSuccess, onError: showError })
    },
  })

  return (
    <>
      <Menu defaultOpen trigger={trigger}>
        {owned && isLocked(file) && (
          <MenuItem onSelect={() => actions.showDetails(file)}>
            <KeyRound aria-hidden /> {t("folders:fix.unlockFile")}
          </MenuItem>
        )}
        <MenuItem disabled={file.status !== "completed"} onSelect={() => actions.open(file)}>
          <FileText aria-hidden /> {t("folders:file.showText")}
        </MenuItem>
        <MenuItem
          disabled={file.status !== "completed"}
          onSelect={() => navigate(routes.newChatAbout(folderId, [file.id]))}
        >
          <MessageCircleQuestion aria-hidden /> {t("folders:file.ask")}
        </MenuItem>
        <MenuItem onSelect={() => actions.showDetails(file)}>
          <Info aria-hidden /> {t("folders:file.details")}
        </MenuItem>
        <MenuItem
          disabled={file.storage === "cloud"}
          onSelect={() => void download(fileDownloadPath(folderId, file.id))}
        >
          <Download aria-hidden /> {t("folders:file.download")}
        </MenuItem>
        {owned && (
          <>
            <MenuItem onSelect={() => actions.fileAs(file)}>
              <FilePen aria-hidden /> {t("filing:edit")}
            </MenuItem>
            {mayReadOtherwise(file) && (
              <MenuItem disabled={file.storage === "cloud"} onSelect={() => actions.readAs(file)}>
                <Languages aria-hidden /> {t("folders:readAs.open")}
              </MenuItem>
            )}
            <MenuItem onSelect={chooser.open}>
              <Replace aria-hidden /> {t("folders:file.replace")}
            </MenuItem>
            <MenuItem
              disabled={busy || file.leftOut === true}
              onSelect={() => retry.mutate(file.id, { onError: showError })}
            >
              <RotateCcw aria-hidden /> {file.web ? t("folders:web.fetchAgain") : t("folders:file.again")}
            </MenuItem>
            {file.leftOut === true ? (
              <MenuItem onSelect={() => void includeInSearch(folderId, file.id)}>
                <CirclePlus aria-hidden /> {t("folders:file.putIn")}
              </MenuItem>
            ) : (
              <MenuItem onSelect={() => void excludeFromSearch(folderId, file)}>
                <Ban aria-hidden /> {t("folders:file.leaveOut")}
              </MenuItem>
            )}
            <MenuItem danger onSelect={() => actions.removeFromDisk(file)}>
              <Trash2 aria-hidden /> {watched ? t("folders:file.deleteFromDisk") : t("folders:delete")}
            </MenuItem>
          </>
        )}
      </Menu>
      {chooser.input}
    </>
  )
}
