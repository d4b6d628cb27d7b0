import { t } from "i18next"
import { BookOpen, Sparkles, TextQuote } from "lucide-react"
import type { Reading } from "../../../../../shared/contract/chat.ts"
import { Menu, MenuItem } from "../../../../ui/layers/Menu.tsx"

const choices = [
  { reading: "auto", icon: Sparkles },
  { reading: "passages", icon: TextQuote },
  { reading: "whole", icon: BookOpen },
] as const

interface ReadingPickerProps {
  selected: Reading
  onChange: (reading: Reading) => void
}

/** Shows how much of the documents is read for the next question, and lets the user change it. */
export function ReadingPicker({ selected, onChange }: ReadingPickerProps) {
  const Icon = choices.find(({ reading }) => reading === selected)?.icon ?? Sparkles
  const name = t(`chat:reading.${selected}.name`)
  const label = t("chat:reading.chosen", { name })
  return (
    <Menu
      trigger={
        <button
          type="button"
          title={label}
          aria-label={label}
          className="flex h-8 shrink-0 items-center gap-1.5 rounded-md px-2 text-sm text-soft transition-colors hover:bg-hover hover:text-ink data-[state=open]:bg-selected"
        >
          <Icon className="size-4 shrink-0" aria-hidden />
          <span className={selected === "auto" ? "max-lg:hidden" : undefined}>{name}</span>
        </button>
      }
    >
      {choices.map(({ reading, icon: ChoiceIcon }) => (
        <MenuItem key={reading} chosen={reading === selected} onSelect={() => onChange(reading)}>
          <ChoiceIcon aria-hidden />
          <span>
            {t(`chat:reading.${reading}.name`)}
            <span className="block text-xs text-faint">{t(`chat:reading.${reading}.hint`)}</span>
          </span>
        </MenuItem>
      ))}
    </Menu>
  )
}
