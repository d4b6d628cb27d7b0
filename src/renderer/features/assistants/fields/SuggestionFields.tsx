import { t } from "i18next"
import { ArrowDown, ArrowUp, GripVertical, Plus, Trash2 } from "lucide-react"
import { useState } from "react"
import { v7 as newId } from "uuid"
import { Button, IconButton } from "../../../ui/controls/Button.tsx"
import { classNames } from "../../../ui/class-names.ts"
import { limits, type SuggestionRow } from "../editor/form.ts"

interface SuggestionFieldsProps {
  rows: SuggestionRow[]
  onChange: (rows: SuggestionRow[]) => void
}

/** The starter prompts. They can be added, edited, removed and reordered, by dragging or with buttons. */
export function SuggestionFields({ rows, onChange }: SuggestionFieldsProps) {
  const [dragged, setDragged] = useState<string>()

  function move(from: number, to: number) {
    const next = [...rows]
    const [row] = next.splice(from, 1)
    if (!row || to < 0 || to > next.length) return
    next.splice(to, 0, row)
    onChange(next)
  }
  const indexOf = (key: string | undefined) => rows.findIndex((row) => row.key === key)

  return (
    <>
      <ol className="flex flex-col gap-2">
        {rows.map((row, index) => (
          // Dragging needs a pointer; the buttons do the same.
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- where a dragged row is dropped
          <li
            key={row.key}
            onDragOver={(event) => {
              if (dragged === undefined) return
              event.preventDefault()
              if (indexOf(dragged) !== index) move(indexOf(dragged), index)
            }}
            onDrop={(event) => event.preventDefault()}
            className={classNames(
              "flex items-start gap-1 rounded-lg border border-line p-1.5",
              dragged === row.key && "opacity-50",
            )}
          >
            <span
              draggable
              aria-hidden
              title={t("assistants:suggestions.drag")}
              onDragStart={(event) => {
                event.dataTransfer.effectAllowed = "move"
                event.dataTransfer.setData("text/plain", row.label)
                setDragged(row.key)
              }}
              onDragEnd={() => setDragged(undefined)}
              className="flex h-8 w-5 shrink-0 cursor-grab items-center justify-center text-faint"
            >
              <GripVertical className="size-4" />
            </span>
            <SuggestionRowFields
              row={row}
              number={index + 1}
              onChange={(part) => onChange(rows.map((one) => (one === row ? { ...one, ...part } : one)))}
            />
            <div className="flex shrink-0">
              <IconButton
                label={t("assistants:suggestions.up", { number: index + 1 })}
                disabled={index === 0}
                onClick={() => move(index, index - 1)}
              >
                <ArrowUp aria-hidden />
              </IconButton>
              <IconButton
                label={t("assistants:suggestions.down", { number: index + 1 })}
                disabled={index === rows.length - 1}
                onClick={() => move(index, index + 1)}
              >
                <ArrowDown aria-hidden />
              </IconButton>
              <IconButton
                label={t("assistants:suggestions.remove", { number: index + 1 })}
                onClick={() => onChange(rows.filter((one) => one !== row))}
              >
                <Trash2 aria-hidden />
              </IconButton>
            </div>
          </li>
        ))}
      </ol>
      <div className={classNames("flex items-center gap-3", rows.length > 0 && "mt-2")}>
        <Button
          disabled={rows.length >= limits.suggestions}
          onClick={() => onChange([...rows, { key: newId(), label: "", prompt: "" }])}
        >
          <Plus aria-hidden /> {t("assistants:suggestions.add")}
        </Button>
        {rows.length >= limits.suggestions && (
          <span className="text-xs text-faint">
            {t("assistants:suggestions.most", { count: limits.suggestions })}
          </span>
        )}
      </div>
    </>
  )
}

interface SuggestionRowFieldsProps {
  row: SuggestionRow
  number: number
  onChange: (part: Partial<SuggestionRow>) => void
}

const field =
  "block w-full rounded-md border border-line bg-field px-2 py-1 text-sm hover:border-line-strong focus-visible:outline-offset-0"

function SuggestionRowFields({ row, number, onChange }: SuggestionRowFieldsProps) {
  return (
    <div className="flex min-w-0 flex-1 flex-col gap-1.5">
      <input
        aria-label={t("assistants:suggestions.label", { number })}
        placeholder={t("assistants:suggestions.labelHint")}
        value={row.label}
        onChange={({ target }) => onChange({ label: target.value })}
        className={classNames(field, "h-8 font-medium")}
      />
      <textarea
        aria-label={t("assistants:suggestions.prompt", { number })}
        placeholder={t("assistants:suggestions.promptHint")}
        value={row.prompt}
        rows={1}
        onChange={({ target }) => onChange({ prompt: target.value })}
        className={classNames(field, "field-sizing-content max-h-40 min-h-8 resize-none")}
      />
    </div>
  )
}
