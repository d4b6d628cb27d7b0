import { useMutation, useQuery } from "@tanstack/react-query"
import { t } from "i18next"
import { Trash2, Undo2 } from "lucide-react"
import { useState } from "react"
import type { TrashedFile } from "../../../../shared/contract/files.ts"
import { useFolders } from "../../../data/folders/folders.ts"
import { queryClient } from "../../../data/query-client.ts"
import { box, describeError } from "../../../lib/box.ts"
import { showError, showToast } from "../../../lib/toasts.ts"
import { formatFullMoment, formatSize } from "../../../lib/words/format.ts"
import { Note } from "../../../ui/Note.tsx"
import { Button, IconButton } from "../../../ui/controls/Button.tsx"
import { SettingsGroup } from "../../../ui/controls/Sections.tsx"
import { ConfirmDialog } from "../../../ui/layers/Dialog.tsx"
import { FileGlyph } from "../../../ui/pictures/FileGlyph.tsx"
import { MiddleCut } from "../../../ui/text/LongText.tsx"
import { storageKey } from "./storage.ts"

/** Files that the user deleted and can still restore. */
function useTrash() {
  return useQuery({
    queryKey: [...storageKey, "trash"],
    queryFn: ({ signal }) => box.files.trash({}, { signal }),
    staleTime: 0,
  })
}

const refresh = () => queryClient.invalidateQueries({ queryKey: storageKey })

const usePutBack = () =>
  useMutation({ mutationFn: (id: string) => box.files.putBack({ params: { id } }), onSettled: refresh })

const useRemoveTrashed = () =>
  useMutation({ mutationFn: (id: string) => box.files.removeTrashed({ params: { id } }), onSettled: refresh })

/** Empties only the user's own trash. Owners empty everyone's in the storage overview. */
const useEmptyOwnTrash = () => useMutation({ mutationFn: () => box.files.emptyTrash(), onSettled: refresh })

/** Deleted items that can be restored or deleted permanently. */
export function TrashGroup() {
  const { data: trash, error } = useTrash()
  const [isEmptying, setEmptying] = useState(false)
  const [leaving, setLeaving] = useState<TrashedFile | null>(null)
  const empty = useEmptyOwnTrash()
  const remove = useRemoveTrashed()
  const isAny = trash !== undefined && trash.files.length > 0
  return (
    <SettingsGroup
      title={t("settings:storage.trash.title")}
      description={t("settings:storage.trash.description")}
      action={
        isAny && (
          <Button busy={empty.isPending} onClick={() => setEmptying(true)}>
            <Trash2 aria-hidden /> {t("settings:storage.emptyTrash")}
          </Button>
        )
      }
    >
      {error && <Note kind="error">{describeError(error)}</Note>}
      {trash && !isAny && <p className="text-sm text-faint">{t("settings:storage.trash.none")}</p>}
      {isAny && (
        <ul
          aria-label={t("settings:storage.trash.title")}
          className="max-h-96 divide-y divide-line overflow-y-auto rounded-lg border border-line"
        >
          {trash.files.map((file) => (
            <TrashRow key={file.id} file={file} onRemove={() => setLeaving(file)} />
          ))}
        </ul>
      )}
      <ConfirmDialog
        open={isEmptying}
        onClose={() => setEmptying(false)}
        onConfirm={() => empty.mutate(undefined, { onError: showError })}
        title={t("settings:storage.emptyTrashTitle")}
        description={t("settings:storage.trash.emptyDescription", {
          count: trash?.count ?? 0,
          size: formatSize(trash?.bytes ?? 0),
        })}
        confirmLabel={t("settings:storage.emptyTrash")}
      />
      <ConfirmDialog
        open={leaving !== null}
        onClose={() => setLeaving(null)}
        onConfirm={() => leaving && remove.mutate(leaving.id, { onError: showError })}
        title={t("settings:storage.trash.removeTitle", { name: leaving?.name })}
        description={t("settings:storage.trash.removeDescription")}
        confirmLabel={t("settings:storage.trash.remove")}
      />
    </SettingsGroup>
  )
}

interface TrashRowProps {
  file: TrashedFile
  onRemove: () => void
}

function TrashRow({ file: { id, vectorId, name, folder, size, deletedAt }, onRemove }: TrashRowProps) {
  const putBack = usePutBack()
  const { data: folders } = useFolders()
  const place = [folders?.find((one) => one.id === vectorId)?.name ?? "", folder].filter(
    (part) => part !== "",
  )
  return (
    <li className="flex items-center gap-3 px-3 py-2 text-sm">
      <FileGlyph name={name} />
      <div className="min-w-0 flex-1">
        <p title={name}>
          <MiddleCut text={name} />
        </p>
        <p className="truncate text-xs text-faint">
          {[place.join(" / "), formatFullMoment(deletedAt), formatSize(size)]
            .filter((fact) => fact !== "")
            .join(" · ")}
        </p>
      </div>
      <Button
        busy={putBack.isPending}
        aria-label={t("settings:storage.trash.putBackOne", { name })}
        onClick={() =>
          putBack.mutate(id, {
            onSuccess: ({ file }) => showToast(t("settings:storage.trash.isBack", { name: file.name })),
            onError: showError,
          })
        }
      >
        <Undo2 aria-hidden /> {t("settings:storage.trash.putBack")}
      </Button>
      <IconButton label={t("settings:storage.trash.removeOne", { name })} onClick={onRemove}>
        <Trash2 aria-hidden />
      </IconButton>
    </li>
  )
}
