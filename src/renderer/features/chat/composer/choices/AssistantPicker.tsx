import { t } from "i18next"
import { Bot, Plus, X, Wrench } from "lucide-react"
import { useState, Suspense } from "react"
import { Link } from "wouter"
import type { AssistantEntry } from "../../../../../shared/contract/assistants.ts"
import { later } from "../../../../lib/later.ts"
import { routes } from "../../../../lib/navigation/routes.ts"
import { SearchField } from "../../../../ui/controls/SearchField.tsx"
import { Popover } from "../../../../ui/layers/Popover.tsx"
import { AssistantAvatar } from "../../../../ui/pictures/AssistantAvatar.tsx"

const searchFrom = 8

interface AssistantPickerProps {
  assistants: AssistantEntry[]
  selected: AssistantEntry | undefined
  onChange: (assistantId: string | null) => void
}

/** Shows the selected assistant, and lets the user select another. */
export function AssistantPicker({ assistants, selected, onChange }: AssistantPickerProps) {
  const [open, setOpen] = useState(false)
  const label = selected ? t("chat:assistant.chosen", { name: selected.name }) : t("chat:assistant.choose")
  return (
    <div className="flex h-8 shrink-0 items-center">
      <Popover
        open={open}
        onOpenChange={setOpen}
        label={t("chat:assistant.choose")}
        side="top"
        className="w-72 rounded-lg p-1"
        trigger={
          <button
            type="button"
            title={label}
            aria-label={label}
            className="flex h-7 max-w-40 items-center gap-1.5 rounded-md px-2 text-sm text-soft transition-colors hover:bg-hover hover:text-ink data-[state=open]:bg-selected"
          >
            {selected ? (
              <AssistantAvatar assistant={selected} size="small" />
            ) : (
              <Bot className="size-4 shrink-0" aria-hidden />
            )}
            {selected && <span className="truncate">{selected.name}</span>}
          </button>
        }
      >
        <AssistantChoices
          assistants={assistants}
          selected={selected}
          onChange={(id) => {
            onChange(id)
            setOpen(false)
          }}
        />
      </Popover>
      {selected && (
        <button
          type="button"
          aria-label={t("chat:assistant.remove", { name: selected.name })}
          title={t("chat:assistant.remove", { name: selected.name })}
          onClick={() => onChange(null)}
          className="flex size-6 shrink-0 items-center justify-center rounded-md text-soft hover:bg-hover"
        >
          <X className="size-3" aria-hidden />
        </button>
      )}
    </div>
  )
}

function AssistantChoices({ assistants, selected, onChange }: AssistantPickerProps) {
  const [search, setSearch] = useState("")
  const wanted = search.trim().replace(/^@/, "").toLowerCase()
  const shown = assistants.filter(({ name, handle }) => `${name} ${handle}`.toLowerCase().includes(wanted))
  if (assistants.length === 0) {
    return (
      <div className="p-3 text-sm text-soft">
        <p>{t("chat:assistant.none")}</p>
        <Link
          href={routes.assistants}
          className="mt-2 inline-flex items-center gap-1.5 rounded font-medium text-accent"
        >
          <Plus className="size-4" aria-hidden /> {t("chat:assistant.create")}
        </Link>
      </div>
    )
  }
  return (
    <>
      {assistants.length >= searchFrom && (
        <SearchField label={t("chat:assistant.find")} value={search} onChange={setSearch} className="m-1" />
      )}
      <ul aria-label={t("chat:assistant.list")} className="max-h-72 overflow-y-auto">
        {shown.map((assistant) => (
          <li key={assistant.id}>
            <button
              type="button"
              disabled={!assistant.enabled}
              aria-pressed={assistant.id === selected?.id}
              title={assistant.name}
              onClick={() => onChange(assistant.id)}
              className="flex h-9 w-full items-center gap-2 rounded-md px-2 text-left text-sm hover:bg-hover disabled:opacity-50 aria-pressed:bg-selected"
            >
              <AssistantAvatar assistant={assistant} size="small" />
              <span className="min-w-0 flex-1 truncate">{assistant.name}</span>
              <span className="max-w-28 shrink-0 truncate text-xs text-soft">
                {assistant.enabled ? `@${assistant.handle}` : t("chat:assistant.isOff")}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p className="p-3 text-sm text-soft">{t("chat:assistant.notFound")}</p>}
    </>
  )
}

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
