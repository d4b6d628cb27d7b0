import { t } from "i18next"
import { Folder, Plus, X, BookOpen, Sparkles, TextQuote } from "lucide-react"
import { useState } from "react"
import { Link } from "wouter"
import type { Reading } from "../../../../../shared/contract/chat.ts"
import type { FolderEntry } from "../../../../../shared/contract/folders.ts"
import type { Project } from "../../../../../shared/contract/projects.ts"
import { useFolders } from "../../../../data/folders/folders.ts"
import { routes } from "../../../../lib/navigation/routes.ts"
import { formatCount } from "../../../../lib/words/format.ts"
import { classNames } from "../../../../ui/class-names.ts"
import { SearchField } from "../../../../ui/controls/SearchField.tsx"
import { Menu, MenuItem } from "../../../../ui/layers/Menu.tsx"
import { Popover } from "../../../../ui/layers/Popover.tsx"
import { FolderIcon } from "../../../../ui/pictures/FolderIcon.tsx"

const searchFrom = 8

interface FolderPickerProps {
  selected: string[]
  /** The project whose folders are always searched. */
  given: Pick<Project, "name" | "vectorIds"> | undefined
  onChange: (folderIds: string[]) => void
}

/** Shows the folders whose documents the answer may use, and lets the user select others. */
export function FolderPicker({ selected, given, onChange }: FolderPickerProps) {
  const { data: folders = [] } = useFolders()
  const [open, setOpen] = useState(false)
  const isGiven = ({ id }: FolderEntry) => given?.vectorIds.includes(id) === true
  const chosen = folders.filter((folder) => isGiven(folder) || selected.includes(folder.id))

  return (
    <div className="flex max-h-16 min-w-0 flex-1 flex-wrap items-center gap-1 overflow-y-auto p-0.5 @max-md:order-first @max-md:basis-full">
      <Popover
        open={open}
        onOpenChange={setOpen}
        label={t("chat:folders.choose")}
        side="top"
        className="w-72 rounded-lg p-1"
        trigger={
          <button
            type="button"
            title={t("chat:folders.choose")}
            className="flex h-7 items-center gap-1.5 rounded-md px-2 text-sm text-soft transition-colors hover:bg-hover hover:text-ink data-[state=open]:bg-selected"
          >
            <Folder className="size-4 shrink-0" aria-hidden />
            <span className={chosen.length > 0 ? "@min-md:@max-lg:sr-only" : undefined}>
              {t("chat:folders.button")}
            </span>
          </button>
        }
      >
        <FolderChoices folders={folders} selected={selected} given={given} onChange={onChange} />
      </Popover>
      {chosen.map((folder) => (
        <FolderChip
          key={folder.id}
          folder={folder}
          project={isGiven(folder) ? given?.name : undefined}
          onRemove={() => onChange(selected.filter((id) => id !== folder.id))}
        />
      ))}
    </div>
  )
}

interface FolderChipProps {
  folder: FolderEntry
  /** The project that includes the folder, so that it can't be removed here. */
  project: string | undefined
  onRemove: () => void
}

function FolderChip({ folder, project, onRemove }: FolderChipProps) {
  const { name } = folder
  return (
    <span className="flex h-6 max-w-48 min-w-0 items-center gap-0.5 rounded-md bg-tint pl-1.5 text-xs text-accent">
      <FolderIcon folder={folder} className="size-3.5" />
      <span
        className={classNames("ml-1 truncate", project !== undefined && "pr-2")}
        title={project === undefined ? name : t("chat:project.folder", { name, project })}
      >
        {name}
      </span>
      {project === undefined && (
        <button
          type="button"
          aria-label={t("chat:folders.remove", { name })}
          title={t("chat:folders.remove", { name })}
          onClick={onRemove}
          className="flex size-6 shrink-0 items-center justify-center rounded-md hover:bg-hover"
        >
          <X className="size-3" aria-hidden />
        </button>
      )}
    </span>
  )
}

function FolderChoices({
  folders,
  selected,
  given,
  onChange,
}: FolderPickerProps & { folders: FolderEntry[] }) {
  const [search, setSearch] = useState("")
  const shown = folders.filter((folder) => folder.name.toLowerCase().includes(search.trim().toLowerCase()))

  if (folders.length === 0) {
    return (
      <div className="p-3 text-sm text-soft">
        <p>{t("chat:folders.what")}</p>
        <Link
          href={routes.newFolder}
          className="mt-2 inline-flex items-center gap-1.5 rounded font-medium text-accent"
        >
          <Plus className="size-4" aria-hidden /> {t("chat:folders.create")}
        </Link>
      </div>
    )
  }
  return (
    <>
      {folders.length >= searchFrom && (
        <SearchField label={t("chat:folders.find")} value={search} onChange={setSearch} className="m-1" />
      )}
      <ul aria-label={t("chat:folders.list")} className="max-h-72 overflow-y-auto">
        {shown.map((folder) => {
          const isGiven = given?.vectorIds.includes(folder.id) === true
          const on = isGiven || selected.includes(folder.id)
          return (
            <li key={folder.id}>
              <label
                title={
                  isGiven ? t("chat:project.folder", { name: folder.name, project: given.name }) : folder.name
                }
                className="flex h-8 items-center gap-2 rounded-md px-2 text-sm hover:bg-hover has-focus-visible:outline-2 has-focus-visible:outline-accent"
              >
                <input
                  type="checkbox"
                  checked={on}
                  disabled={isGiven}
                  onChange={() =>
                    onChange(on ? selected.filter((id) => id !== folder.id) : [...selected, folder.id])
                  }
                  className="size-4 shrink-0 accent-solid focus-visible:outline-none"
                />
                <FolderIcon folder={folder} />
                <span className="min-w-0 flex-1 truncate">{folder.name}</span>
                <span className="text-xs text-faint tabular-nums">{formatCount(folder.fileCount)}</span>
              </label>
            </li>
          )
        })}
      </ul>
      {shown.length === 0 && <p className="p-3 text-sm text-soft">{t("chat:folders.none")}</p>}
    </>
  )
}

const choices = [
  { reading: "auto", icon: Sparkles },
  { reading: "passages", icon: TextQuote },
  { reading: "whole", icon: BookOpen },
] as const

interface ReadingPickerProps {
  selected: Reading
  onChange: (reading: Reading) => void
}

/** Shows how much of the documents is read for the next question, and lets the user change it. */
export function ReadingPicker({ selected, onChange }: ReadingPickerProps) {
  const Icon = choices.find(({ reading }) => reading === selected)?.icon ?? Sparkles
  const name = t(`chat:reading.${selected}.name`)
  const label = t("chat:reading.chosen", { name })
  return (
    <Menu
      trigger={
        <button
          type="button"
          title={label}
          aria-label={label}
          className="flex h-8 shrink-0 items-center gap-1.5 rounded-md px-2 text-sm text-soft transition-colors hover:bg-hover hover:text-ink data-[state=open]:bg-selected"
        >
          <Icon className="size-4 shrink-0" aria-hidden />
          <span className={selected === "auto" ? "max-lg:hidden" : undefined}>{name}</span>
        </button>
      }
    >
      {choices.map(({ reading, icon: ChoiceIcon }) => (
        <MenuItem key={reading} chosen={reading === selected} onSelect={() => onChange(reading)}>
          <ChoiceIcon aria-hidden />
          <span>
            {t(`chat:reading.${reading}.name`)}
            <span className="block text-xs text-faint">{t(`chat:reading.${reading}.hint`)}</span>
          </span>
        </MenuItem>
      ))}
    </Menu>
  )
}
