import { t } from "i18next"
import { Check } from "lucide-react"
import { useEffect, useId, useRef, useState, type KeyboardEvent } from "react"
import type { AnsweringModel } from "../../../../data/models/models.ts"
import { useRemembered } from "../../../../lib/remembered.ts"
import { classNames } from "../../../../ui/class-names.ts"
import { SearchField } from "../../../../ui/controls/SearchField.tsx"

interface ModelChoicesProps {
  models: AnsweringModel[]
  /** The model selected for the next question. */
  selected: AnsweringModel | undefined
  onChange: (modelId: string | null) => void
}

interface Choice {
  /** Null means that no model is selected. */
  id: string | null
  name: string
  detail: string
}

const isText = (value: unknown): value is string => typeof value === "string"

/** A list of models. Typing filters it, the arrow keys move, and Enter selects. Initially, the option that switches back is active. */
export function ModelChoices({ models, selected, onChange }: ModelChoicesProps) {
  const [search, setSearch] = useState("")
  const [lastNamed, setLastNamed] = useRemembered("last-named-model", "", isText)
  const wanted = search.trim().toLowerCase()
  const all: Choice[] = [
    { id: null, name: t("chat:model.usual"), detail: "" },
    ...models.map(({ id, name, server }) => ({ id, name, detail: server ?? t("chat:model.here") })),
  ]
  const shown = all.filter(
    ({ id, name, detail }) =>
      wanted === "" || (id !== null && `${name} ${detail}`.toLowerCase().includes(wanted)),
  )
  const [active, setActive] = useState(() => (selected ? 0 : findAlternativeIndex(all, lastNamed)))
  const list = useId()
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])

  function choose({ id }: Choice) {
    if (id !== null) setLastNamed(id)
    onChange(id)
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing || shown.length === 0) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const current = shown[active]
    if (step !== undefined) setActive((active + step + shown.length) % shown.length)
    else if (event.key === "Enter" && current) choose(current)
    else return
    event.preventDefault()
  }

  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the keys are the field's
    <div onKeyDown={onKeyDown}>
      <SearchField
        ref={field}
        label={t("chat:model.find")}
        value={search}
        onChange={(text) => {
          setSearch(text)
          setActive(0)
        }}
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a field whose keys move in a list, which no tag makes
        role="combobox"
        aria-expanded
        aria-controls={list}
        aria-activedescendant={shown[active] && `${list}-${active}`}
        className="m-1"
      />
      <div
        id={list}
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- the list of a field, which no tag makes
        role="listbox"
        tabIndex={-1}
        aria-label={t("chat:model.list")}
        className="max-h-72 overflow-y-auto"
      >
        {shown.map((choice, index) => (
          <Option
            key={choice.id}
            id={`${list}-${index}`}
            choice={choice}
            isActive={index === active}
            isChosen={choice.id === (selected?.id ?? null)}
            onChoose={() => choose(choice)}
          />
        ))}
      </div>
      {shown.length === 0 && <p className="p-3 text-sm text-soft">{t("chat:model.notFound")}</p>}
    </div>
  )
}

/** Returns the index of the model selected last, or of the first that isn't the default. */
function findAlternativeIndex(all: Choice[], lastNamed: string): number {
  const last = all.findIndex(({ id }) => id === lastNamed)
  return last === -1 ? Math.min(2, all.length - 1) : last
}

interface OptionProps {
  id: string
  choice: Choice
  isActive: boolean
  isChosen: boolean
  onChoose: () => void
}

// The field keeps the focus and handles the keys; a click is the alternative.
const Option = ({ id, choice: { name, detail }, isActive, isChosen, onChoose }: OptionProps) => (
  // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the field's keys
  <div
    id={id}
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- an entry of such a list
    role="option"
    tabIndex={-1}
    aria-selected={isChosen}
    ref={(element) => {
      if (isActive) element?.scrollIntoView({ block: "nearest" })
    }}
    title={name}
    onClick={onChoose}
    className={classNames(
      "flex h-9 items-center gap-2 rounded-md px-2 text-sm",
      isActive ? "bg-selected" : "hover:bg-hover",
    )}
  >
    <Check className={classNames("size-4 shrink-0 text-accent", !isChosen && "invisible")} aria-hidden />
    <span className="min-w-0 flex-1 truncate">{name}</span>
    <span className="max-w-28 shrink-0 truncate text-xs text-soft">{detail}</span>
  </div>
)
