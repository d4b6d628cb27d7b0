import { useQuery } from "@tanstack/react-query"
import { t } from "i18next"
import { Bot, type LucideIcon, ImageUp, Trash2 } from "lucide-react"
import { useState, useId } from "react"
import { classNames } from "../../../ui/class-names.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { ColourTiles } from "../../../ui/controls/ColourTiles.tsx"
import { useFileInput } from "../../../ui/controls/FileInput.tsx"
import { SearchField } from "../../../ui/controls/SearchField.tsx"
import { Popover } from "../../../ui/layers/Popover.tsx"
import { AssistantAvatar } from "../../../ui/pictures/AssistantAvatar.tsx"
import { NamedIcon } from "../../../ui/pictures/NamedIcon.tsx"
import type { AssistantForm } from "../editor/form.ts"

/** Icons for common topics, offered before a search. */
const usual = [
  "Bot Sparkles Brain GraduationCap BookOpen Library FileText FileSearch Newspaper ScrollText ClipboardList PenLine",
  "Languages Scale Gavel Landmark Briefcase Building2 Calculator ChartLine ChartPie Coins Receipt Code Terminal",
  "Database Bug Wrench Hammer FlaskConical Microscope Stethoscope HeartPulse Leaf Utensils ShoppingCart Plane Car",
  "House Calendar Clock Mail MessageSquare Mic Music Palette Camera Globe Map Shield Key Lightbulb Star Rocket",
]
  .join(" ")
  .split(" ")

/** Converts "ChartLine" to "chart line". */
const words = (name: string): string =>
  name.replaceAll(/(?<=[a-z])(?=[A-Z0-9])|(?<=[0-9])(?=[A-Z])/g, " ").toLowerCase()

/** Returns the names that contain every search word, those that start with it first. Without a search, returns the common ones. */
export function findIcons(names: readonly string[], search: string): string[] {
  const wanted = search.trim().toLowerCase()
  if (wanted === "") {
    const known = new Set(names)
    return usual.filter((name) => known.has(name))
  }
  const parts = wanted.split(/\s+/)
  const rank = (name: string) => {
    const text = words(name)
    if (!parts.every((part) => text.includes(part) || name.toLowerCase().includes(part))) return 3
    return text === wanted || name.toLowerCase() === wanted ? 0 : text.startsWith(wanted) ? 1 : 2
  }
  return names
    .map((name) => ({ name, position: rank(name) }))
    .filter(({ position }) => position < 3)
    .sort((a, b) => a.position - b.position)
    .map(({ name }) => name)
}

/** Side of a stored image in pixels. It is shown at half that size at most. */
const imageSide = 192
const maxDataUrlLength = 400_000
/** Larger files aren't opened. */
const largestImageBytes = 20 * 1024 * 1024

/** Converts an image to a small square data URL, cropped around its centre. Returns null if the file isn't a readable image. */
async function readImage(file: File): Promise<string | null> {
  if (file.size > largestImageBytes) return null
  const bitmap = await createImageBitmap(file).catch(() => null)
  if (!bitmap) return null
  const canvas = document.createElement("canvas")
  canvas.width = imageSide
  canvas.height = imageSide
  const context = canvas.getContext("2d")
  const edge = Math.min(bitmap.width, bitmap.height)
  context?.drawImage(
    bitmap,
    (bitmap.width - edge) / 2,
    (bitmap.height - edge) / 2,
    edge,
    edge,
    0,
    0,
    imageSide,
    imageSide,
  )
  bitmap.close()
  const url = canvas.toDataURL("image/webp", 0.9)
  return url.length <= maxDataUrlLength ? url : null
}

const maxShownIcons = 90

interface IconPickerProps {
  icon: string | null
  onChange: (icon: string | null) => void
}

/** Selects any of the library's icons by name. */
function IconPicker({ icon, onChange }: IconPickerProps) {
  const [open, setOpen] = useState(false)
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      label={t("assistants:look.icon")}
      className="w-80 rounded-lg p-2"
      trigger={
        <Button>
          <NamedIcon name={icon ?? "Bot"} fallback={Bot} className="size-4" />
          {t("assistants:look.chooseIcon")}
        </Button>
      }
    >
      <IconChoices
        icon={icon}
        onChoose={(name) => {
          onChange(name)
          setOpen(false)
        }}
      />
    </Popover>
  )
}

function IconChoices({ icon, onChoose }: { icon: string | null; onChoose: (icon: string | null) => void }) {
  const [search, setSearch] = useState("")
  const { data: all } = useQuery({
    queryKey: ["all-icons"],
    queryFn: async () =>
      (await import("../../../ui/pictures/all-icons.ts")).allIcons as Record<string, LucideIcon>,
    staleTime: Infinity,
  })
  const found = all === undefined ? [] : findIcons(Object.keys(all), search)
  return (
    <>
      <SearchField label={t("assistants:look.findIcon")} value={search} onChange={setSearch} />
      <fieldset aria-label={t("assistants:look.icon")} className="mt-2 h-64 overflow-y-auto p-0.5">
        <div className="grid grid-cols-[repeat(auto-fill,minmax(2rem,1fr))] gap-1">
          {found.slice(0, maxShownIcons).map((name) => {
            const Icon = all?.[name] ?? Bot
            return (
              <button
                key={name}
                type="button"
                title={name}
                aria-label={name}
                aria-pressed={(icon ?? "Bot") === name}
                onClick={() => onChoose(name)}
                className="flex size-8 items-center justify-center rounded-md hover:bg-hover aria-pressed:bg-selected"
              >
                <Icon className="size-4" aria-hidden />
              </button>
            )
          })}
        </div>
        {all !== undefined && found.length === 0 && (
          <p className="p-1 text-sm text-soft">{t("assistants:look.noIcon")}</p>
        )}
        {found.length > maxShownIcons && (
          <p className="p-1 pt-2 text-xs text-faint">
            {t("assistants:look.moreIcons", { count: found.length - maxShownIcons })}
          </p>
        )}
      </fieldset>
    </>
  )
}

type Appearance = Pick<AssistantForm, "icon" | "color" | "customImage"> & { id?: string | undefined }

interface AppearanceFieldsProps {
  appearance: Appearance
  error: string | undefined
  onChange: (part: Partial<Appearance>) => void
}

/** The avatar: an icon on a colour, or an uploaded image. */
export function AppearanceFields({ appearance, error, onChange }: AppearanceFieldsProps) {
  const [unreadable, setUnreadable] = useState(false)
  const remote = appearance.customImage !== null && !appearance.customImage.startsWith("data:")

  async function choose([file]: File[]) {
    if (!file) return
    const image = await readImage(file)
    setUnreadable(image === null)
    if (image !== null) onChange({ customImage: image })
  }

  const chooser = useFileInput({
    label: t("assistants:look.image"),
    accept: "image/*",
    onFiles: (files) => void choose(files),
  })
  const problem = unreadable ? t("assistants:look.unreadable") : error
  return (
    <div className="flex gap-4">
      <AssistantAvatar assistant={appearance} size="large" />
      <div className="flex min-w-0 flex-1 flex-col gap-2">
        <div className="flex flex-wrap gap-2">
          {appearance.customImage === null && (
            <IconPicker icon={appearance.icon} onChange={(icon) => onChange({ icon })} />
          )}
          <Button onClick={chooser.open}>
            <ImageUp aria-hidden /> {t("assistants:look.chooseImage")}
          </Button>
          {appearance.customImage !== null && (
            <Button variant="quiet" onClick={() => onChange({ customImage: null })}>
              <Trash2 aria-hidden /> {t("assistants:look.removeImage")}
            </Button>
          )}
          {chooser.input}
        </div>
        {remote && <p className="text-xs text-faint">{t("assistants:look.remote")}</p>}
        {appearance.customImage === null && <ColourChoice appearance={appearance} onChange={onChange} />}
        {problem !== undefined && (
          <p role="alert" className="text-xs text-danger">
            {problem}
          </p>
        )}
      </div>
    </div>
  )
}

function ColourChoice({ appearance, onChange }: Omit<AppearanceFieldsProps, "error">) {
  return (
    <fieldset aria-label={t("assistants:look.colour")} className="flex flex-wrap items-center gap-1">
      <ColourTiles
        group="assistant-colour"
        colour={appearance.color}
        none={t("assistants:look.noColour")}
        onChange={(color) => onChange({ color })}
      />
      <HexField colour={appearance.color} onChange={(color) => onChange({ color })} />
    </fieldset>
  )
}

const hexColour = /^#[0-9A-Fa-f]{6}$/

/** Any other colour, applied as soon as it is valid. */
function HexField({ colour, onChange }: { colour: string | null; onChange: (colour: string) => void }) {
  const noteId = useId()
  const [typed, setTyped] = useState({ text: colour ?? "", colour })
  // A colour selected elsewhere replaces the typed text.
  const text = typed.colour === colour ? typed.text : (colour ?? "")
  const invalid = text !== "" && !hexColour.test(text)
  return (
    <>
      <input
        aria-label={t("assistants:look.hex")}
        title={t("assistants:look.hex")}
        aria-invalid={invalid}
        aria-describedby={invalid ? noteId : undefined}
        value={text}
        placeholder="#4F46E5"
        maxLength={7}
        spellCheck={false}
        autoComplete="off"
        onChange={({ target }) => {
          const complete = hexColour.test(target.value)
          setTyped({ text: target.value, colour: complete ? target.value : colour })
          if (complete) onChange(target.value)
        }}
        className={classNames(
          "ml-1 h-8 w-24 rounded-md border bg-field px-2 font-mono text-sm",
          invalid ? "border-danger" : "border-line hover:border-line-strong",
        )}
      />
      {invalid && (
        <p id={noteId} className="w-full text-xs text-danger">
          {t("assistants:look.hexInvalid")}
        </p>
      )}
    </>
  )
}
