import { t } from "i18next"
import { Ban, ImageUp, Trash2 } from "lucide-react"
import { useRef, useState } from "react"
import { accentColours, type AccentColour } from "../../ui/accent-colours.ts"
import { AssistantAvatar } from "../../ui/AssistantAvatar.tsx"
import { Button } from "../../ui/Button.tsx"
import { classNames } from "../../ui/class-names.ts"
import type { AssistantForm } from "./form.ts"
import { IconPicker } from "./IconPicker.tsx"
import { readImage } from "./read-image.ts"

type Look = Pick<AssistantForm, "icon" | "color" | "customImage">

interface LookFieldsProps {
  look: Look
  error: string | undefined
  onChange: (part: Partial<Look>) => void
}

const colours = Object.keys(accentColours) as AccentColour[]

/** The picture: an icon on a colour, or an image of one's own. */
export function LookFields({ look, error, onChange }: LookFieldsProps) {
  const input = useRef<HTMLInputElement>(null)
  const [unreadable, setUnreadable] = useState(false)
  const remote = look.customImage !== null && !look.customImage.startsWith("data:")

  async function choose(file: File | undefined) {
    if (!file) return
    const image = await readImage(file)
    setUnreadable(image === null)
    if (image !== null) onChange({ customImage: image })
  }

  const problem = unreadable ? t("assistants:look.unreadable") : error
  return (
    <div className="flex gap-4">
      <AssistantAvatar assistant={look} size="large" />
      <div className="flex min-w-0 flex-1 flex-col gap-2">
        <div className="flex flex-wrap gap-2">
          {look.customImage === null && (
            <IconPicker icon={look.icon} onChange={(icon) => onChange({ icon })} />
          )}
          <Button onClick={() => input.current?.click()}>
            <ImageUp aria-hidden /> {t("assistants:look.chooseImage")}
          </Button>
          {look.customImage !== null && (
            <Button variant="quiet" onClick={() => onChange({ customImage: null })}>
              <Trash2 aria-hidden /> {t("assistants:look.removeImage")}
            </Button>
          )}
          <input
            ref={input}
            type="file"
            accept="image/*"
            hidden
            aria-label={t("assistants:look.image")}
            onChange={({ target }) => {
              void choose(target.files?.[0])
              target.value = ""
            }}
          />
        </div>
        {remote && <p className="text-xs text-faint">{t("assistants:look.remote")}</p>}
        {look.customImage === null && <ColourChoice look={look} onChange={onChange} />}
        {problem !== undefined && (
          <p role="alert" className="text-xs text-danger">
            {problem}
          </p>
        )}
      </div>
    </div>
  )
}

function ColourChoice({ look, onChange }: Omit<LookFieldsProps, "error">) {
  return (
    <fieldset aria-label={t("assistants:look.colour")} className="flex flex-wrap items-center gap-1">
      <Swatch
        name={t("assistants:look.noColour")}
        chosen={look.color === null}
        onChoose={() => onChange({ color: null })}
      />
      {colours.map((name) => {
        const colour = accentColours[name]
        return (
          <Swatch
            key={name}
            name={t(`folders:colour.${name}`)}
            colour={colour}
            chosen={look.color?.toLowerCase() === colour.toLowerCase()}
            onChoose={() => onChange({ color: colour })}
          />
        )
      })}
      <HexField key={look.color} colour={look.color} onChange={(color) => onChange({ color })} />
    </fieldset>
  )
}

interface SwatchProps {
  name: string
  colour?: string
  chosen: boolean
  onChoose: () => void
}

function Swatch({ name, colour, chosen, onChoose }: SwatchProps) {
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
        name="assistant-colour"
        aria-label={name}
        checked={chosen}
        onChange={onChoose}
        className="sr-only"
      />
      {colour === undefined ? (
        <Ban className="size-4 text-faint" aria-hidden />
      ) : (
        <span className="size-4 rounded-full" style={{ background: colour }} />
      )}
    </label>
  )
}

const hexColour = /^#[0-9A-Fa-f]{6}$/

/** Any other colour, taken once it is one. */
function HexField({ colour, onChange }: { colour: string | null; onChange: (colour: string) => void }) {
  const [text, setText] = useState(colour ?? "")
  const invalid = text !== "" && !hexColour.test(text)
  return (
    <input
      aria-label={t("assistants:look.hex")}
      title={t("assistants:look.hex")}
      aria-invalid={invalid}
      value={text}
      placeholder="#4F46E5"
      maxLength={7}
      spellCheck={false}
      autoComplete="off"
      onChange={({ target }) => {
        setText(target.value)
        if (hexColour.test(target.value)) onChange(target.value)
      }}
      className={classNames(
        "ml-1 h-8 w-24 rounded-md border bg-field px-2 font-mono text-sm",
        invalid ? "border-danger" : "border-line hover:border-line-strong",
      )}
    />
  )
}
