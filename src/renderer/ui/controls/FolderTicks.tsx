import { t } from "i18next"
import { useState } from "react"
import type { FolderEntry } from "../../../shared/contract/folders.ts"
import { classNames } from "../class-names.ts"
import { FolderIcon } from "../pictures/FolderIcon.tsx"
import { SearchField } from "./SearchField.tsx"

/** Number of folders from which a search field is shown. */
export const searchFoldersFrom = 8

interface FolderTicksProps {
  folders: readonly FolderEntry[]
  selected: readonly string[]
  /** Maximum number of selected folders. */
  max: number
  /** Accessible name of the list, if nothing around it names it. */
  label?: string
  searchLabel: string
  /** Shown if the search finds no folder. */
  notFoundText: string
  /** Class of the list. */
  className: string
  onChange: (folderIds: string[]) => void
}

/** Folders with checkboxes. Those selected initially come first. */
export function FolderTicks(props: FolderTicksProps) {
  const { folders, selected, max, label, searchLabel, notFoundText, className, onChange } = props
  const [search, setSearch] = useState("")
  const [first] = useState(() => new Set(selected))
  const wanted = search.trim().toLowerCase()
  const shown = folders
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .toSorted((a, b) => Number(first.has(b.id)) - Number(first.has(a.id)))
  const isFull = selected.length >= max
  return (
    <>
      {folders.length >= searchFoldersFrom && (
        <SearchField label={searchLabel} value={search} onChange={setSearch} />
      )}
      <ul
        aria-label={label}
        className={classNames("overflow-y-auto rounded-lg border border-line p-1", className)}
      >
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
        {shown.length === 0 && <li className="p-2 text-sm text-soft">{notFoundText}</li>}
      </ul>
    </>
  )
}
