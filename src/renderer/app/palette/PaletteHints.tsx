import { t } from "i18next"
import { shortcutKeys } from "../../lib/keys/shortcut.ts"
import { Keys } from "../../ui/text/Keys.tsx"

/** Visible hints for the palette's keys. */
export function PaletteHints() {
  return (
    <p
      className="flex items-center gap-4 border-t border-line px-4 py-2 text-xs text-faint max-sm:hidden"
      aria-hidden
    >
      <Hint
        keys={[...shortcutKeys("previousRow"), ...shortcutKeys("nextRow")]}
        text={t("frame:palette.move")}
      />
      <Hint keys={["↵"]} text={t("frame:palette.choose")} />
      <Hint keys={shortcutKeys("close")} text={t("frame:palette.leave")} />
    </p>
  )
}

function Hint({ keys, text }: { keys: string[]; text: string }) {
  return (
    <span className="flex items-center gap-1.5">
      <Keys keys={keys} /> {text}
    </span>
  )
}
