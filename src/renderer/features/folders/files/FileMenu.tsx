import { t } from "i18next"
import {
  Ban,
  CirclePlus,
  Download,
  FilePen,
  FileText,
  Info,
  KeyRound,
  MessageCircleQuestion,
  Replace,
  RotateCcw,
  Trash2,
} from "lucide-react"
import type { FileEntry } from "../../../../shared/contract/files.ts"
import { fileDownloadPath, isSettled, useReplaceFile, useRetryFile } from "../../../data/folders/files.ts"
import { describeError } from "../../../lib/box.ts"
import { download } from "../../../lib/browser/download.ts"
import { navigate } from "../../../lib/navigation/hash-location.ts"
import { routes } from "../../../lib/navigation/routes.ts"
import { Menu, MenuItem, type MenuTrigger, RowMenu } from "../../../ui/layers/Menu.tsx"
import { showToast } from "../../../lib/toasts.ts"
import { useFileInput } from "../../../ui/controls/FileInput.tsx"
import { isLocked } from "../../../lib/words/sentence.ts"
import { excludeFromSearch, includeInSearch } from "./left-out.ts"
import type { FileActions } from "./use-file-actions.tsx"

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
  const onError = (error: unknown) => showToast(describeError(error), "error")
  const busy = !isSettled(file)

  const chooser = useFileInput({
    label: t("folders:file.replaceLabel", { name: file.name }),
    onFiles([chosen]) {
      if (!chosen) return
      const onSuccess = () => showToast(t("folders:file.replaced", { name: file.name }))
      replace.mutate({ fileId: file.id, file: chosen }, { onSuccess, onError })
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
            <MenuItem onSelect={chooser.open}>
              <Replace aria-hidden /> {t("folders:file.replace")}
            </MenuItem>
            <MenuItem
              disabled={busy || file.leftOut === true}
              onSelect={() => retry.mutate(file.id, { onError })}
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
