import { t } from "i18next"
import { Ban } from "lucide-react"
import { useState, type ReactNode } from "react"
import { classNames } from "../../ui/class-names.ts"
import { SearchField } from "../../ui/SearchField.tsx"
import { accentColours, type AccentColour } from "../../ui/accent-colours.ts"
import { folderIcons, type FolderIconName } from "./folder-icons.ts"

export interface FolderLook {
  iconName: string | null
  accentColor: string | null
}

interface LookPickerProps {
  look: FolderLook
  onChange: (part: Partial<FolderLook>) => void
}

const colours = Object.keys(accentColours) as AccentColour[]
const icons = Object.keys(folderIcons) as FolderIconName[]

/** Chooses a folder's icon and colour. */
export function LookPicker({ look, onChange }: LookPickerProps) {
  const [search, setSearch] = useState("")
  const wanted = search.trim().toLowerCase()
  const shown = icons.filter((name) => `${name} ${t(`folders:icon.${name}`)}`.toLowerCase().includes(wanted))
  return (
    <div className="flex flex-col gap-3">
      <fieldset>
        <legend className="mb-1.5 text-sm font-medium">{t("folders:look.colour")}</legend>
        <div className="flex flex-wrap gap-1">
          <Choice
            group="colour"
            name={t("folders:look.noColour")}
            chosen={look.accentColor === null}
            onChoose={() => onChange({ accentColor: null })}
          >
            <Ban className="size-4 text-faint" aria-hidden />
          </Choice>
          {colours.map((colour) => (
            <Choice
              key={colour}
              group="colour"
              name={t(`folders:colour.${colour}`)}
              chosen={look.accentColor === accentColours[colour]}
              onChoose={() => onChange({ accentColor: accentColours[colour] })}
            >
              <span className="size-4 rounded-full" style={{ background: accentColours[colour] }} />
            </Choice>
          ))}
        </div>
      </fieldset>
      <fieldset>
        <legend className="mb-1.5 text-sm font-medium">{t("folders:look.icon")}</legend>
        <SearchField label={t("folders:look.findIcon")} value={search} onChange={setSearch} />
        <div className="mt-1.5 flex flex-wrap gap-1 p-0.5">
          {shown.map((name) => {
            const Icon = folderIcons[name]
            return (
              <Choice
                key={name}
                group="icon"
                name={t(`folders:icon.${name}`)}
                chosen={(look.iconName ?? "Folder") === name}
                onChoose={() => onChange({ iconName: name })}
              >
                <Icon className="size-4" style={{ color: look.accentColor ?? undefined }} aria-hidden />
              </Choice>
            )
          })}
          {shown.length === 0 && <p className="p-1 text-sm text-soft">{t("folders:look.noIcon")}</p>}
        </div>
      </fieldset>
    </div>
  )
}

interface ChoiceProps {
  group: string
  name: string
  chosen: boolean
  onChoose: () => void
  children: ReactNode
}

function Choice({ group, name, chosen, onChoose, children }: ChoiceProps) {
  return (
    <label
      title={name}
      className={classNames(
        "flex size-8 items-center justify-center rounded-md has-focus-visible:outline-2 has-focus-visible:outline-accent",
        chosen ? "bg-selected inset-ring inset-ring-line-strong" : "hover:bg-hover",
      )}
    >
      <input
        type="radio"
        name={group}
        aria-label={name}
        checked={chosen}
        onChange={onChoose}
        className="sr-only"
      />
      {children}
    </label>
  )
}
