import { t } from "i18next"
import { useState } from "react"
import { Link } from "wouter"
import { useFolders } from "../../../data/folders.ts"
import { routes } from "../../../lib/places/routes.ts"
import { SearchField } from "../../../ui/controls/SearchField.tsx"
import { FolderIcon } from "../../../ui/pictures/FolderIcon.tsx"
import { limits } from "../editor/form.ts"
import { Issue } from "./FormField.tsx"

const searchFrom = 8

interface FolderFieldsProps {
  selected: string[]
  error: string | undefined
  onChange: (folderIds: string[]) => void
}

/** The folders that the assistant answers from; chosen ones come first when the list is opened. */
export function FolderFields({ selected: chosen, error, onChange }: FolderFieldsProps) {
  const { data: folders } = useFolders()
  // One that is gone can't be unticked any more, so that it doesn't count.
  const selected = folders ? chosen.filter((id) => folders.some((folder) => folder.id === id)) : chosen
  const [search, setSearch] = useState("")
  const [first] = useState(() => new Set(selected))
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
  const wanted = search.trim().toLowerCase()
  const shown = (folders ?? [])
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .toSorted((a, b) => Number(first.has(b.id)) - Number(first.has(a.id)))
  const many = (folders?.length ?? 0) >= searchFrom
  const full = selected.length >= limits.folders
  return (
    <div>
      {many && (
        <SearchField
          label={t("assistants:folders.find")}
          value={search}
          onChange={setSearch}
          className="mb-2"
        />
      )}
      <ul
        aria-label={t("assistants:folders.title")}
        className="max-h-40 overflow-y-auto rounded-lg border border-line p-1"
      >
        {shown.map((folder) => {
          const on = selected.includes(folder.id)
          return (
            <li key={folder.id}>
              <label
                title={folder.name}
                className="flex h-8 items-center gap-2.5 rounded-md px-2 text-sm hover:bg-hover has-focus-visible:outline-2 has-focus-visible:outline-accent"
              >
                <input
                  type="checkbox"
                  checked={on}
                  disabled={!on && full}
                  onChange={() =>
                    onChange(on ? selected.filter((id) => id !== folder.id) : [...selected, folder.id])
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
        {shown.length === 0 && <li className="p-2 text-sm text-soft">{t("assistants:folders.notFound")}</li>}
      </ul>
      {many && (
        <p className="mt-1.5 text-xs text-faint">
          {t("assistants:folders.chosen", { count: selected.length, most: limits.folders })}
        </p>
      )}
      <Issue text={error} />
    </div>
  )
}
