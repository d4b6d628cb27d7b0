import { t } from "i18next"
import { Link } from "wouter"
import { useFolders } from "../../../data/folders/folders.ts"
import { routes } from "../../../lib/navigation/routes.ts"
import { FolderTicks, searchFoldersFrom } from "../../../ui/controls/FolderTicks.tsx"
import { limits } from "../editor/form.ts"
import { Issue } from "./FormField.tsx"

interface FolderFieldsProps {
  selected: string[]
  error: string | undefined
  onChange: (folderIds: string[]) => void
}

/** Selects the folders that the assistant answers from. */
export function FolderFields({ selected: chosen, error, onChange }: FolderFieldsProps) {
  const { data: folders } = useFolders()
  // Deleted folders are ignored, because they can't be deselected.
  const selected = folders ? chosen.filter((id) => folders.some((folder) => folder.id === id)) : chosen
  if (folders?.length === 0) {
    return (
      <p className="text-sm text-soft">
        {t("assistants:folders.none")}{" "}
        <Link href={routes.newFolder} className="text-accent underline underline-offset-2">
          {t("assistants:folders.create")}
        </Link>
      </p>
    )
  }
  const many = (folders?.length ?? 0) >= searchFoldersFrom
  return (
    <div>
      <div className="flex flex-col gap-2">
        <FolderTicks
          folders={folders ?? []}
          selected={selected}
          most={limits.folders}
          label={t("assistants:folders.title")}
          searchLabel={t("assistants:folders.find")}
          notFoundText={t("assistants:folders.notFound")}
          className="max-h-40"
          onChange={onChange}
        />
      </div>
      {many && (
        <p className="mt-1.5 text-xs text-faint">
          {t("assistants:folders.chosen", { count: selected.length, most: limits.folders })}
        </p>
      )}
      <Issue text={error} />
    </div>
  )
}
