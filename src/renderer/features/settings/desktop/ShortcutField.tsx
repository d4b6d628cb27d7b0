import { t } from "i18next"
import { useState, type KeyboardEvent } from "react"
import { Button } from "../../../ui/controls/Button.tsx"
import { Note } from "../../../ui/Note.tsx"
import { acceleratorName, getAccelerator } from "./accelerator.ts"

interface ShortcutFieldProps {
  keys: string | null
  registered: boolean
  onChange: (keys: string | null) => void
}

const isMac = navigator.platform.startsWith("Mac")

/** Records the shortcut that opens quick ask from any program: press the button, then the keys. */
export function ShortcutField({ keys, registered, onChange }: ShortcutFieldProps) {
  const [listening, setListening] = useState(false)

  function onKeyDown(event: KeyboardEvent) {
    if (!listening || event.key === "Tab") return
    event.preventDefault()
    event.stopPropagation()
    if (event.key === "Escape") return setListening(false)
    const accelerator = getAccelerator(event.nativeEvent, isMac)
    if (accelerator === null) return
    setListening(false)
    onChange(accelerator)
  }

  const shown = keys === null ? t("settings:desktop.noShortcut") : acceleratorName(keys, isMac)
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <Button
          aria-label={t("settings:desktop.shortcut", { keys: shown })}
          onClick={() => setListening(!listening)}
          onKeyDown={onKeyDown}
          onBlur={() => setListening(false)}
          className="min-w-44"
        >
          {listening ? t("settings:desktop.pressKeys") : shown}
        </Button>
        {keys !== null && (
          <Button onClick={() => onChange(null)}>{t("settings:desktop.removeShortcut")}</Button>
        )}
      </div>
      {keys !== null && !registered && (
        <Note kind="warning">
          {t("settings:desktop.shortcutTaken", { keys: acceleratorName(keys, isMac) })}
        </Note>
      )}
    </div>
  )
}
