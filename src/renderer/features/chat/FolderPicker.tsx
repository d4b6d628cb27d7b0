import { Folder, Plus } from "lucide-react"
import { Popover } from "radix-ui"
import { useState } from "react"
import { Link } from "wouter"
import type { FolderEntry } from "../../../shared/contract/folders.ts"
import { useFolders } from "../../data/folders.ts"
import { formatCount } from "../../lib/format.ts"
import { routes } from "../../lib/routes.ts"
import { classNames } from "../../ui/class-names.ts"
import { SearchField } from "../../ui/SearchField.tsx"

const searchFrom = 8

interface FolderPickerProps {
  selected: string[]
  onChange: (folderIds: string[]) => void
}

/** Chooses the folders whose documents the answer may use. */
export function FolderPicker({ selected, onChange }: FolderPickerProps) {
  const { data: folders = [] } = useFolders()
  const chosen = folders.filter((folder) => selected.includes(folder.id))

  return (
    <Popover.Root>
      <Popover.Trigger
        title={chosen.map((folder) => folder.name).join(", ") || "Choose folders to answer from"}
        className={classNames(
          "flex h-7 min-w-0 items-center gap-1.5 rounded-md px-2 text-sm transition-colors hover:bg-hover data-[state=open]:bg-selected",
          chosen.length > 0 ? "text-accent" : "text-soft hover:text-ink",
        )}
      >
        <Folder className="size-4 shrink-0" aria-hidden />
        <span className="truncate">{describe(chosen)}</span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          side="top"
          sideOffset={6}
          collisionPadding={8}
          className="z-50 w-72 animate-appear rounded-lg bg-raised p-1 shadow-float"
        >
          <FolderChoices folders={folders} selected={selected} onChange={onChange} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

function describe(chosen: FolderEntry[]): string {
  const [first, ...others] = chosen
  if (!first) return "Folders"
  return others.length === 0 ? first.name : `${first.name} +${others.length}`
}

function FolderChoices({ folders, selected, onChange }: FolderPickerProps & { folders: FolderEntry[] }) {
  const [search, setSearch] = useState("")
  const shown = folders.filter((folder) => folder.name.toLowerCase().includes(search.trim().toLowerCase()))

  if (folders.length === 0) {
    return (
      <div className="p-3 text-sm text-soft">
        <p>Folders hold the documents that answers come from.</p>
        <Link
          href={routes.newFolder}
          className="mt-2 inline-flex items-center gap-1.5 rounded font-medium text-accent"
        >
          <Plus className="size-4" aria-hidden /> Create a folder
        </Link>
      </div>
    )
  }
  return (
    <>
      {folders.length >= searchFrom && (
        <SearchField label="Find a folder" value={search} onChange={setSearch} className="m-1" />
      )}
      <ul aria-label="Folders to answer from" className="max-h-72 overflow-y-auto">
        {shown.map((folder) => {
          const on = selected.includes(folder.id)
          return (
            <li key={folder.id}>
              <label
                title={folder.name}
                className="flex h-8 items-center gap-2 rounded-md px-2 text-sm hover:bg-hover has-focus-visible:outline-2 has-focus-visible:outline-accent"
              >
                <input
                  type="checkbox"
                  checked={on}
                  onChange={() =>
                    onChange(on ? selected.filter((id) => id !== folder.id) : [...selected, folder.id])
                  }
                  className="size-4 shrink-0 accent-solid focus-visible:outline-none"
                />
                <span className="min-w-0 flex-1 truncate">{folder.name}</span>
                <span className="text-xs text-faint tabular-nums">{formatCount(folder.fileCount)}</span>
              </label>
            </li>
          )
        })}
      </ul>
      {shown.length === 0 && <p className="p-3 text-sm text-soft">No folder is called that.</p>}
    </>
  )
}
