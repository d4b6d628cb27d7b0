import { t } from "i18next"
import { Suspense, useState } from "react"
import { later } from "../../lib/later.ts"
import { paletteField, palettePanel } from "./palette-classes.ts"
import type { FrameActions } from "./use-page-commands.tsx"

export const loadPalette = async () => (await import("./CommandPalette.tsx")).CommandPalette
const CommandPalette = later(loadPalette)

/** The palette. Until its code is loaded, an identical field accepts typing, so that nothing typed is lost. */
export function Palette({ onClose, ...actions }: FrameActions & { onClose: () => void }) {
  const [text, setText] = useState("")
  const [opener] = useState(() => document.activeElement)
  return (
    <Suspense fallback={<EarlyField text={text} onType={setText} onClose={onClose} />}>
      <CommandPalette {...actions} text={text} onType={setText} opener={opener} onClose={onClose} />
    </Suspense>
  )
}

interface EarlyFieldProps {
  text: string
  onType: (text: string) => void
  onClose: () => void
}

function EarlyField({ text, onType, onClose }: EarlyFieldProps) {
  return (
    <div data-modal className="fixed inset-0 z-40 bg-scrim">
      <div className={palettePanel}>
        <input
          ref={focus}
          aria-label={t("frame:palette.label")}
          placeholder={t("frame:palette.placeholder")}
          value={text}
          onChange={(event) => onType(event.target.value)}
          onKeyDown={({ key }) => key === "Escape" && onClose()}
          className={paletteField}
        />
      </div>
    </div>
  )
}

const focus = (field: HTMLInputElement | null) => field?.focus()
