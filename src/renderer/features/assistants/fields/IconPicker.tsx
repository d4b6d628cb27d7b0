import { t } from "i18next"
import { useQuery } from "@tanstack/react-query"
import { Bot, type LucideIcon } from "lucide-react"
import { useState } from "react"
import { Button } from "../../../ui/controls/Button.tsx"
import { NamedIcon } from "../../../ui/pictures/NamedIcon.tsx"
import { Popover } from "../../../ui/layers/Popover.tsx"
import { SearchField } from "../../../ui/controls/SearchField.tsx"
import { findIcons } from "./find-icons.ts"

const shown = 90

interface IconPickerProps {
  icon: string | null
  onChange: (icon: string | null) => void
}

/** Selects any of the library's icons by name. */
export function IconPicker({ icon, onChange }: IconPickerProps) {
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
          {found.slice(0, shown).map((name) => {
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
        {found.length > shown && (
          <p className="p-1 pt-2 text-xs text-faint">
            {t("assistants:look.moreIcons", { count: found.length - shown })}
          </p>
        )}
      </fieldset>
    </>
  )
}
