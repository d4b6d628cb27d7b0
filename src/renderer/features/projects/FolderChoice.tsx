import { t } from "i18next"
import { Link } from "wouter"
import { useFolders } from "../../data/folders/folders.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { FolderTicks } from "../../ui/controls/FolderTicks.tsx"
import { maxFolders } from "./project-form.ts"

interface FolderChoiceProps {
  selected: string[]
  error: string | undefined
  onChange: (folderIds: string[]) => void
}

/** Chooses the folders that every chat of a project searches. */
export function FolderChoice({ selected, error, onChange }: FolderChoiceProps) {
  const { data: folders = [] } = useFolders()
  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5">
      <legend className="mb-1.5 text-sm font-medium">{t("projects:folders")}</legend>
      {folders.length === 0 ? (
        <p className="text-sm text-soft">
          {t("projects:noFolders")}{" "}
          <Link href={routes.newFolder} className="text-accent underline underline-offset-2">
            {t("projects:makeFolder")}
          </Link>
        </p>
      ) : (
        <FolderTicks
          folders={folders}
          selected={selected}
          most={maxFolders}
          searchLabel={t("projects:findFolder")}
          notFoundText={t("projects:noFolderFound")}
          className="max-h-52"
          onChange={onChange}
        />
      )}
      <p className={error === undefined ? "text-xs text-faint" : "text-xs text-danger"}>
        {error ?? t("projects:foldersHint")}
      </p>
    </fieldset>
  )
}
