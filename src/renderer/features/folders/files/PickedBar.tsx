import { t } from "i18next"
import { Ban, MessageCircleQuestion, RotateCcw, Trash2, X } from "lucide-react"
import { useCallback, useRef, useState } from "react"
import { maxAskedFiles } from "../../../../shared/contract/chat.ts"
import type { FileEntry } from "../../../../shared/contract/files.ts"
import type { Folder } from "../../../../shared/contract/folders.ts"
import { loadFilesOfRows, type FileFilter, useRetryFiles } from "../../../data/folders/files.ts"
import { navigate } from "../../../lib/navigation/hash-location.ts"
import { routes } from "../../../lib/navigation/routes.ts"
import { showError, showToast } from "../../../lib/toasts.ts"
import { Button, IconButton } from "../../../ui/controls/Button.tsx"
import { ConfirmDialog } from "../../../ui/layers/Dialog.tsx"
import { fileDeletions, excludeAllFromSearch } from "./file-commands.ts"

/** The files selected in the list, by id, in the order of selection. */
export type Picked = ReadonlyMap<string, FileEntry>

/** Files are deleted one by one, and more would take too long. */
export const maxPicked = 1_000

/** Selects or deselects files, up to `maxPicked`. */
export function pick(picked: Picked, files: readonly FileEntry[], isPicked: boolean): Picked {
  const next = new Map(picked)
  for (const file of files)
    if (!isPicked) next.delete(file.id)
    else if (next.size < maxPicked) next.set(file.id, file)
  return next
}

/** The selected files that aren't being deleted, with their current list entries. */
export function stillPicked(
  picked: Picked,
  listed: readonly FileEntry[],
  leaving: ReadonlySet<string>,
): FileEntry[] {
  const newest = new Map(listed.map((file) => [file.id, file]))
  return [...picked.values()].filter(({ id }) => !leaving.has(id)).map((file) => newest.get(file.id) ?? file)
}

/** The rows from one to another, in either direction. */
export const rowsBetween = (one: number, other: number): { first: number; last: number } => ({
  first: Math.min(one, other),
  last: Math.max(one, other),
})

export type OnPicked = (change: (before: Picked) => Picked) => void

/**
 * Selects files by their rows. The files of a range may have to be loaded first. `pickFile` stays the same function, because rows rely on
 * it.
 */
export function usePicking(folderId: string, { search, state, sort }: FileFilter, onPicked: OnPicked) {
  const lastRow = useRef<number>(undefined)

  const pickRows = useCallback(
    (first: number, last: number, isPicked: (before: Picked) => boolean) =>
      void loadFilesOfRows(
        folderId,
        { search, state, sort },
        first,
        Math.min(last, first + maxPicked - 1),
      ).then((files) => onPicked((before) => pick(before, files, isPicked(before))), showError),
    [folderId, search, state, sort, onPicked],
  )

  const pickFile = useCallback(
    (file: FileEntry, row: number, isRange: boolean) => {
      const willBe = (before: Picked) => !before.has(file.id)
      const { first, last } = rowsBetween(isRange ? (lastRow.current ?? row) : row, row)
      if (first === last) onPicked((before) => pick(before, [file], willBe(before)))
      else pickRows(first, last, willBe)
      lastRow.current = row
    },
    [pickRows, onPicked],
  )

  return {
    pickFile,
    pickAll: (isPicked: boolean, total: number) =>
      isPicked ? pickRows(0, total - 1, () => true) : onPicked(() => new Map()),
  }
}

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
    void retry
      .mutateAsync(failed.map((file) => file.id))
      .then((count) => showToast(t("folders:table.retrying", { count })), showError)
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
