import { t } from "i18next"
import { useState } from "react"
import { Link } from "wouter"
import { useFolders } from "../../data/folders.ts"
import { routes } from "../../lib/places/routes.ts"
import { SearchField } from "../../ui/controls/SearchField.tsx"
import { FolderIcon } from "../../ui/pictures/FolderIcon.tsx"
import { mostFolders } from "./project-form.ts"

const searchFrom = 8

interface FolderChoiceProps {
  selected: string[]
  error: string | undefined
  onChange: (folderIds: string[]) => void
}

/** The folders that every chat of a project searches; those chosen at first stand first. */
export function FolderChoice({ selected, error, onChange }: FolderChoiceProps) {
  const { data: folders = [] } = useFolders()
  const [search, setSearch] = useState("")
  const [first] = useState(() => new Set(selected))
  const wanted = search.trim().toLowerCase()
  const shown = folders
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .toSorted((a, b) => Number(first.has(b.id)) - Number(first.has(a.id)))
  const isFull = selected.length >= mostFolders
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
        <>
          {folders.length >= searchFrom && (
            <SearchField label={t("projects:findFolder")} value={search} onChange={setSearch} />
          )}
          <ul className="max-h-52 overflow-y-auto rounded-lg border border-line p-1">
            {shown.map((folder) => {
              const isOn = selected.includes(folder.id)
              return (
                <li key={folder.id}>
                  <label
                    title={folder.name}
                    className="flex h-8 items-center gap-2.5 rounded-md px-2 text-sm hover:bg-hover has-focus-visible:outline-2 has-focus-visible:outline-accent"
                  >
                    <input
                      type="checkbox"
                      checked={isOn}
                      disabled={!isOn && isFull}
                      onChange={() =>
                        onChange(isOn ? selected.filter((id) => id !== folder.id) : [...selected, folder.id])
                      }
                      className="size-4 shrink-0 accent-solid focus-visible:outline-none"
                    />
                    <FolderIcon folder={folder} />
                    <span className="min-w-0 flex-1 truncate">{folder.name}</span>
                    <span className="shrink-0 text-xs text-faint tabular-nums">
                      {t("fileCount", { count: folder.fileCount })}
                    </span>
                  </label>
                </li>
              )
            })}
            {shown.length === 0 && <li className="p-2 text-sm text-soft">{t("projects:noFolderFound")}</li>}
          </ul>
        </>
      )}
      <p className={error === undefined ? "text-xs text-faint" : "text-xs text-danger"}>
        {error ?? t("projects:foldersHint")}
      </p>
    </fieldset>
  )
}
