import { t } from "i18next"
import { ImageUp, Trash2 } from "lucide-react"
import { useId, useState } from "react"
import { AssistantAvatar } from "../../../ui/pictures/AssistantAvatar.tsx"
import { Button } from "../../../ui/controls/Button.tsx"
import { classNames } from "../../../ui/class-names.ts"
import { ColourTiles } from "../../../ui/controls/ColourTiles.tsx"
import { useFileInput } from "../../../ui/controls/FileInput.tsx"
import type { AssistantForm } from "../editor/form.ts"
import { IconPicker } from "./IconPicker.tsx"
import { readImage } from "./read-image.ts"

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
