import { t } from "i18next"
import { Ban, MessageCircleQuestion, RotateCcw, Trash2, X } from "lucide-react"
import { useState } from "react"
import { maxAskedFiles } from "../../../../shared/contract/chat.ts"
import type { FileEntry } from "../../../../shared/contract/files.ts"
import type { Folder } from "../../../../shared/contract/folders.ts"
import { useRetryFiles } from "../../../data/folders/files.ts"
import { describeError } from "../../../lib/box.ts"
import { navigate } from "../../../lib/navigation/hash-location.ts"
import { routes } from "../../../lib/navigation/routes.ts"
import { showToast } from "../../../lib/toasts.ts"
import { Button, IconButton } from "../../../ui/controls/Button.tsx"
import { ConfirmDialog } from "../../../ui/layers/Dialog.tsx"
import { fileDeletions, excludeAllFromSearch } from "./file-commands.ts"
import { maxPicked } from "./picking.ts"

interface PickedBarProps {
  folder: Folder
  /** The selected files. */
  files: readonly FileEntry[]
  onClear: () => void
}

/** Actions for the selected files. The bar is below the list, so that rows don't move when the first file is selected. */
export function PickedBar({ folder: { id, owned, watched, folder: path }, files, onClear }: PickedBarProps) {
  const [isAsking, setAsking] = useState(false)
  const retry = useRetryFiles(id)
  const indexed = files.filter(({ status }) => status === "completed")
  const failed = files.filter(({ status }) => status === "failed")
  const remove = () => {
    onClear()
    void fileDeletions.remove(...files.map((file) => ({ id: file.id, name: file.name, folderId: id })))
  }
  const retryFailed = () =>
    void retry.mutateAsync(failed.map((file) => file.id)).then(
      (count) => showToast(t("folders:table.retrying", { count })),
      (error: unknown) => showToast(describeError(error), "error"),
    )
  const isTooMany = indexed.length > maxAskedFiles
  const hints = [
    files.length >= maxPicked && t("folders:pick.most"),
    isTooMany && t("folders:pick.tooMany", { most: maxAskedFiles, count: indexed.length - maxAskedFiles }),
    indexed.length < files.length && t("folders:pick.unread", { count: files.length - indexed.length }),
  ].filter((hint) => hint !== false)
  return (
    <section
      aria-label={t("folders:pick.label")}
      className="flex flex-wrap items-center gap-2 border-t border-line bg-canvas px-4 py-2.5 text-sm"
    >
      <IconButton label={t("folders:pick.clear")} onClick={onClear}>
        <X aria-hidden />
      </IconButton>
      <output className="mr-1">{t("folders:pick.count", { count: files.length })}</output>
      <Button
        variant="primary"
        disabled={indexed.length === 0 || isTooMany}
        onClick={() =>
          navigate(
            routes.newChatAbout(
              id,
              indexed.map((file) => file.id),
            ),
          )
        }
      >
        <MessageCircleQuestion aria-hidden /> {t("folders:pick.ask")}
      </Button>
      {owned && failed.length > 0 && (
        <Button busy={retry.isPending} onClick={retryFailed}>
          <RotateCcw aria-hidden /> {t("folders:table.retryFailed", { count: failed.length })}
        </Button>
      )}
      {owned && watched && (
        <Button
          onClick={() => {
            onClear()
            void excludeAllFromSearch(id, files)
          }}
        >
          <Ban aria-hidden /> {t("folders:file.leaveOut")}
        </Button>
      )}
      {owned && (
        <Button onClick={watched ? () => setAsking(true) : remove}>
          <Trash2 aria-hidden /> {watched ? t("folders:file.deleteFromDisk") : t("folders:delete")}
        </Button>
      )}
      {hints.length > 0 && <p className="min-w-48 flex-1 text-xs text-soft">{hints.join(" ")}</p>}
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={remove}
        title={t("folders:pick.deleteTitle", { count: files.length })}
        description={t("folders:pick.deleteWatched", { path })}
        confirmLabel={t("folders:file.deleteFromDiskConfirm")}
      />
    </section>
  )
}
