import { t } from "i18next"
import { useState } from "react"
import {
  FolderRemote,
  HiddenParts,
  Strategy,
  Visibility,
  type Folder,
} from "../../../shared/contract/folders.ts"
import { useUpdateFolder } from "../../data/folders/folders.ts"
import { getIssues } from "../../lib/words/field-issues.ts"
import { Note } from "../../ui/Note.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { ColourTiles, RadioTile } from "../../ui/controls/ColourTiles.tsx"
import { SelectField, TextAreaField, TextField, PathField } from "../../ui/controls/Field.tsx"
import { SearchField } from "../../ui/controls/SearchField.tsx"
import { Dialog, DialogActions } from "../../ui/layers/Dialog.tsx"
import { folderIcons, type FolderIconName } from "../../ui/pictures/FolderIcon.tsx"
import { ImagesField } from "./ImagesField.tsx"

interface FolderAppearance {
  iconName: string | null
  accentColor: string | null
}

interface AppearancePickerProps {
  appearance: FolderAppearance
  onChange: (part: Partial<FolderAppearance>) => void
}

const iconNames = Object.keys(folderIcons) as FolderIconName[]

/** Chooses a folder's icon and colour. */
function AppearancePicker({ appearance, onChange }: AppearancePickerProps) {
  const [search, setSearch] = useState("")
  const wanted = search.trim().toLowerCase()
  const shown = iconNames.filter((name) =>
    `${name} ${t(`folders:icon.${name}`)}`.toLowerCase().includes(wanted),
  )
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

/** A folder's name, appearance, search settings and sharing. */
export function FolderSettingsDialog({ folder, onClose }: { folder: Folder; onClose: () => void }) {
  const [form, setForm] = useState({
    name: folder.name,
    description: folder.description,
    topK: String(folder.topK),
    filter: String(folder.filter),
    strategy: folder.strategy,
    visibility: folder.visibility,
    remote: folder.remote,
    includeGenerated: folder.includeGenerated,
    hiddenParts: folder.hiddenParts,
    images: folder.images,
    iconName: folder.iconName ?? null,
    accentColor: folder.accentColor ?? null,
  })
  const update = useUpdateFolder(folder.id)
  const issues = getIssues(update.error, ["name", "description", "topK", "filter"])
  const change = (part: Partial<typeof form>) => setForm({ ...form, ...part })

  return (
    <Dialog open onClose={onClose} title={t("folders:settings.title")}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          update.mutate(
            { ...form, name: form.name.trim(), topK: Number(form.topK), filter: Number(form.filter) },
            { onSuccess: onClose },
          )
        }}
      >
        <TextField
          label={t("folders:field.name")}
          value={form.name}
          maxLength={120}
          onChange={(event) => change({ name: event.target.value })}
          error={issues["name"]}
        />
        <TextAreaField
          label={t("folders:field.description")}
          value={form.description}
          maxLength={2000}
          placeholder={t("folders:field.descriptionHint")}
          onChange={(event) => change({ description: event.target.value })}
          error={issues["description"]}
        />
        <SearchFields form={form} issues={issues} onChange={change} />
        <SelectField
          label={t("folders:settings.sharing")}
          value={form.visibility}
          onChange={(event) => change({ visibility: Visibility.parse(event.target.value) })}
          hint={t(`folders:visibility.${form.visibility}Hint`)}
        >
          {Visibility.options.map((visibility) => (
            <option key={visibility} value={visibility}>
              {t(`folders:visibility.${visibility}`)}
            </option>
          ))}
        </SelectField>
        <SelectField
          label={t("folders:remote.label")}
          value={form.remote}
          onChange={(event) => change({ remote: FolderRemote.parse(event.target.value) })}
          hint={t(`folders:remote.${form.remote}Hint`)}
        >
          {FolderRemote.options.map((remote) => (
            <option key={remote} value={remote}>
              {t(`folders:remote.${remote}`)}
            </option>
          ))}
        </SelectField>
        <SelectField
          label={t("folders:generated.label")}
          value={form.includeGenerated ? "include" : "exclude"}
          onChange={(event) => change({ includeGenerated: event.target.value === "include" })}
          hint={t("folders:generated.hint")}
        >
          <option value="exclude">{t("folders:generated.exclude")}</option>
          <option value="include">{t("folders:generated.include")}</option>
        </SelectField>
        <SelectField
          label={t("folders:hiddenParts.label")}
          value={form.hiddenParts}
          onChange={(event) => change({ hiddenParts: HiddenParts.parse(event.target.value) })}
          hint={t(`folders:hiddenParts.${form.hiddenParts}Hint`)}
        >
          {HiddenParts.options.map((choice) => (
            <option key={choice} value={choice}>
              {t(`folders:hiddenParts.${choice}`)}
            </option>
          ))}
        </SelectField>
        <ImagesField folder={folder} images={form.images} onChange={(images) => change({ images })} />
        <AppearancePicker appearance={form} onChange={change} />
        {!folder.watched && (
          <p className="text-xs break-words text-faint">
            {t("folders:page.keptIn", { path: folder.folder })}
          </p>
        )}
        {issues["other"] !== undefined && <Note kind="error">{issues["other"]}</Note>}
        <DialogActions>
          <Button onClick={onClose}>{t("common:cancel")}</Button>
          <Button type="submit" variant="primary" busy={update.isPending} disabled={form.name.trim() === ""}>
            {t("folders:save")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

interface SearchForm {
  strategy: Strategy
  topK: string
  filter: string
}

interface SearchFieldsProps {
  form: SearchForm
  issues: Record<string, string | undefined>
  onChange: (part: Partial<SearchForm>) => void
}

/** How the folder is searched, and how much of it is used for answers. */
function SearchFields({ form, issues, onChange }: SearchFieldsProps) {
  return (
    <>
      <SelectField
        label={t("folders:settings.strategy")}
        value={form.strategy}
        onChange={(event) => onChange({ strategy: Strategy.parse(event.target.value) })}
        hint={t("folders:settings.strategyHint")}
      >
        {Strategy.options.map((strategy) => (
          <option key={strategy} value={strategy}>
            {t(`folders:strategy.${strategy}`)}
          </option>
        ))}
      </SelectField>
      <div className="grid grid-cols-2 gap-4">
        <TextField
          label={t("folders:settings.topK")}
          type="number"
          min={1}
          max={50}
          value={form.topK}
          onChange={(event) => onChange({ topK: event.target.value })}
          error={issues["topK"]}
          hint={t("folders:settings.topKHint")}
        />
        <TextField
          label={t("folders:settings.filter")}
          type="number"
          min={0}
          max={100}
          value={form.filter}
          onChange={(event) => onChange({ filter: event.target.value })}
          error={issues["filter"]}
          hint={
            Number(form.filter) === 0
              ? t("folders:settings.filterNone")
              : t("folders:settings.filterSome", { percent: form.filter })
          }
        />
      </div>
    </>
  )
}

/** Asks for the new location of a directory that is no longer where it was. */
export function ChangeLocationDialog({ folder, onClose }: { folder: Folder; onClose: () => void }) {
  const [path, setPath] = useState(folder.folder)
  const update = useUpdateFolder(folder.id)
  const issues = getIssues(update.error, ["folder"])
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("folders:place.title")}
      description={t("folders:place.description")}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          update.mutate({ folder: path.trim() }, { onSuccess: onClose })
        }}
      >
        <PathField
          kind="directory"
          label={t("folders:place.directory")}
          data-focus-first
          value={path}
          onPath={setPath}
          error={issues["folder"] ?? issues["other"]}
        />
        <DialogActions>
          <Button onClick={onClose}>{t("common:cancel")}</Button>
          <Button type="submit" variant="primary" busy={update.isPending} disabled={path.trim() === ""}>
            {t("folders:place.submit")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
