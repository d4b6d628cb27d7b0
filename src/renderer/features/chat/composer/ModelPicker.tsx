import { t } from "i18next"
import { Cpu } from "lucide-react"
import { useState } from "react"
import type { AnsweringModel } from "../../../data/models/answering.ts"
import { SearchField } from "../../../ui/controls/SearchField.tsx"
import { Spinner } from "../../../ui/Spinner.tsx"
import { Popover } from "../../../ui/layers/Popover.tsx"

const searchFrom = 8

interface ChoicesProps {
  models: AnsweringModel[]
  /** The one that the next question names. */
  selected: AnsweringModel | undefined
  onChange: (modelId: string | null) => void
}

interface ModelPickerProps extends Omit<ChoicesProps, "models"> {
  /** Undefined until they are there. */
  models: AnsweringModel[] | undefined
  onLook: () => void
}

/** Which model answers, and how to choose another one. */
export function ModelPicker({ models, selected, onLook, onChange }: ModelPickerProps) {
  const [open, setOpen] = useState(false)
  const label = selected ? t("chat:model.chosen", { name: selected.name }) : t("chat:model.choose")
  return (
    <div className="flex h-8 shrink-0 items-center">
      <Popover
        open={open}
        onOpenChange={(opening) => {
          if (opening) onLook()
          setOpen(opening)
        }}
        label={t("chat:model.choose")}
        side="top"
        className="w-80 rounded-lg p-1"
        trigger={
          <button
            type="button"
            title={label}
            aria-label={label}
            className="flex h-7 max-w-40 items-center gap-1.5 rounded-md px-2 text-sm text-soft transition-colors hover:bg-hover hover:text-ink data-[state=open]:bg-selected"
          >
            <Cpu className="size-4 shrink-0" aria-hidden />
            {selected && <span className="truncate">{selected.name}</span>}
          </button>
        }
      >
        {models ? (
          <ModelChoices
            models={models}
            selected={selected}
            onChange={(id) => {
              onChange(id)
              setOpen(false)
            }}
          />
        ) : (
          <Spinner label={t("chat:model.loading")} />
        )}
      </Popover>
    </div>
  )
}

function ModelChoices({ models, selected, onChange }: ChoicesProps) {
  const [search, setSearch] = useState("")
  const wanted = search.trim().toLowerCase()
  const shown = models.filter(({ name, server }) => `${name} ${server ?? ""}`.toLowerCase().includes(wanted))
  return (
    <>
      {models.length >= searchFrom && (
        <SearchField label={t("chat:model.find")} value={search} onChange={setSearch} className="m-1" />
      )}
      <ul aria-label={t("chat:model.list")} className="max-h-72 overflow-y-auto">
        {wanted === "" && (
          <Choice name={t("chat:model.usual")} detail="" pressed={!selected} onClick={() => onChange(null)} />
        )}
        {shown.map(({ id, name, server }) => (
          <Choice
            key={id}
            name={name}
            detail={server ?? t("chat:model.here")}
            pressed={id === selected?.id}
            onClick={() => onChange(id)}
          />
        ))}
      </ul>
      {shown.length === 0 && <p className="p-3 text-sm text-soft">{t("chat:model.notFound")}</p>}
    </>
  )
}

interface ChoiceProps {
  name: string
  detail: string
  pressed: boolean
  onClick: () => void
}

function Choice({ name, detail, pressed, onClick }: ChoiceProps) {
  return (
    <li>
      <button
        type="button"
        aria-pressed={pressed}
        title={name}
        onClick={onClick}
        className="flex h-9 w-full items-center gap-2 rounded-md px-2 text-left text-sm hover:bg-hover aria-pressed:bg-selected"
      >
        <span className="min-w-0 flex-1 truncate">{name}</span>
        <span className="max-w-32 shrink-0 truncate text-xs text-soft">{detail}</span>
      </button>
    </li>
  )
}
