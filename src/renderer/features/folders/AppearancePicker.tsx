import { t } from "i18next"
import { useState } from "react"
import { ColourTiles, RadioTile } from "../../ui/controls/ColourTiles.tsx"
import { SearchField } from "../../ui/controls/SearchField.tsx"
import { folderIcons, type FolderIconName } from "../../ui/pictures/FolderIcon.tsx"

export interface FolderAppearance {
  iconName: string | null
  accentColor: string | null
}

interface AppearancePickerProps {
  appearance: FolderAppearance
  onChange: (part: Partial<FolderAppearance>) => void
}

const icons = Object.keys(folderIcons) as FolderIconName[]

/** Chooses a folder's icon and colour. */
export function AppearancePicker({ appearance, onChange }: AppearancePickerProps) {
  const [search, setSearch] = useState("")
  const wanted = search.trim().toLowerCase()
  const shown = icons.filter((name) => `${name} ${t(`folders:icon.${name}`)}`.toLowerCase().includes(wanted))
  return (
    <div className="flex flex-col gap-3">
      <fieldset>
        <legend className="mb-1.5 text-sm font-medium">{t("folders:look.colour")}</legend>
        <div className="flex flex-wrap gap-1">
          <ColourTiles
            group="colour"
            colour={appearance.accentColor}
            none={t("folders:look.noColour")}
            onChange={(accentColor) => onChange({ accentColor })}
          />
        </div>
      </fieldset>
      <fieldset>
        <legend className="mb-1.5 text-sm font-medium">{t("folders:look.icon")}</legend>
        <SearchField label={t("folders:look.findIcon")} value={search} onChange={setSearch} />
        <div className="mt-1.5 flex flex-wrap gap-1 p-0.5">
          {shown.map((name) => {
            const Icon = folderIcons[name]
            return (
              <RadioTile
                key={name}
                group="icon"
                name={t(`folders:icon.${name}`)}
                chosen={(appearance.iconName ?? "Folder") === name}
                onChoose={() => onChange({ iconName: name })}
              >
                <Icon className="size-4" style={{ color: appearance.accentColor ?? undefined }} aria-hidden />
              </RadioTile>
            )
          })}
          {shown.length === 0 && <p className="p-1 text-sm text-soft">{t("folders:look.noIcon")}</p>}
        </div>
      </fieldset>
    </div>
  )
}
