import { t } from "i18next"
import { Undo2 } from "lucide-react"
import type { TrashedFile } from "../../../../shared/contract/files.ts"
import { useFolders } from "../../../data/folders/folders.ts"
import { describeError } from "../../../lib/box.ts"
import { showToast } from "../../../lib/toasts.ts"
import { formatFullMoment, formatSize } from "../../../lib/words/format.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { SettingsGroup } from "../../../ui/controls/SettingsGroup.tsx"
import { Note } from "../../../ui/Note.tsx"
import { FileGlyph } from "../../../ui/pictures/FileGlyph.tsx"
import { MiddleCut } from "../../../ui/text/MiddleCut.tsx"
import { usePutBack, useTrash } from "./trash.ts"

/** What was deleted and can be put back. */
export function TrashGroup() {
  const { data: files, error } = useTrash()
  return (
    <SettingsGroup
      title={t("settings:storage.trash.title")}
      description={t("settings:storage.trash.description")}
    >
      {error && <Note kind="error">{describeError(error)}</Note>}
      {files?.length === 0 && <p className="text-sm text-faint">{t("settings:storage.trash.none")}</p>}
      {files && files.length > 0 && (
        <ul
          aria-label={t("settings:storage.trash.title")}
          className="max-h-96 divide-y divide-line overflow-y-auto rounded-lg border border-line"
        >
          {files.map((file) => (
            <TrashRow key={file.id} file={file} />
          ))}
        </ul>
      )}
    </SettingsGroup>
  )
}

function TrashRow({ file: { id, vectorId, name, folder, size, deletedAt } }: { file: TrashedFile }) {
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
            onError: (error) => showToast(describeError(error), "error"),
          })
        }
      >
        <Undo2 aria-hidden /> {t("settings:storage.trash.putBack")}
      </Button>
    </li>
  )
}
