import { t } from "i18next"
import { Pin, PinOff } from "lucide-react"
import type { Pin as Pinned } from "../../../shared/contract/settings.ts"
import { usePin } from "../../data/settings.ts"

/** Pins or unpins a folder, project or assistant. Visible on hover and on keyboard focus. */
export function PinButton({ kind, id, name }: Pinned & { name: string }) {
  const [pinned, toggle] = usePin({ kind, id })
  const label = t(pinned ? "frame:unpinNamed" : "frame:pinNamed", { name })
  const Icon = pinned ? PinOff : Pin
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={toggle}
      className="mr-0.5 inline-flex h-7 w-0 shrink-0 items-center justify-center overflow-hidden rounded-md text-faint opacity-0 group-focus-within/link:w-7 group-focus-within/link:opacity-100 group-hover/link:w-7 group-hover/link:opacity-100 hover:bg-hover hover:text-ink no-hover:w-7 no-hover:opacity-100"
    >
      <Icon className="size-3.5" aria-hidden />
    </button>
  )
}
