import { t } from "i18next"
import { Wrench } from "lucide-react"
import { Suspense, useState } from "react"
import { later } from "../../../../lib/later.ts"
import { Popover } from "../../../../ui/layers/Popover.tsx"

const ToolChoices = later(async () => (await import("./ToolChoices.tsx")).ToolChoices)

interface ToolPickerProps {
  /** Keys of the enabled tools. */
  selected: readonly string[]
  onChange: (tools: string[]) => void
}

/** Shows the tools that a chat without an assistant may use, and lets the user select others. */
export function ToolPicker({ selected, onChange }: ToolPickerProps) {
  const [open, setOpen] = useState(false)
  const count = selected.length
  const label = count > 0 ? t("chat:tools.chosen", { count }) : t("chat:tools.choose")
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      label={t("chat:tools.choose")}
      side="top"
      className="w-80 rounded-lg p-1"
      trigger={
        <button
          type="button"
          title={label}
          aria-label={label}
          className="flex h-8 shrink-0 items-center gap-1 rounded-md px-2 text-sm text-soft transition-colors hover:bg-hover hover:text-ink data-[state=open]:bg-selected"
        >
          <Wrench className="size-4 shrink-0" aria-hidden />
          {count > 0 && (
            <span className="rounded bg-tint px-1 text-xs text-accent tabular-nums">{count}</span>
          )}
        </button>
      }
    >
      <Suspense>
        <ToolChoices selected={selected} onChange={onChange} />
      </Suspense>
    </Popover>
  )
}
