import { t } from "i18next"
import { Cpu } from "lucide-react"
import { Suspense, useRef, useState } from "react"
import type { AnsweringModel } from "../../../../data/models/models.ts"
import { shortcutName, useShortcuts } from "../../../../lib/keys/shortcut.ts"
import { Spinner } from "../../../../ui/Progress.tsx"
import { Popover } from "../../../../ui/layers/Popover.tsx"
import { later } from "../../../../lib/later.ts"

const ModelChoices = later(async () => (await import("./ModelChoices.tsx")).ModelChoices)

interface ModelPickerProps {
  /** Undefined while loading. */
  models: AnsweringModel[] | undefined
  /** The model selected for the next question. */
  selected: AnsweringModel | undefined
  onOpen: () => void
  onChange: (modelId: string | null) => void
}

/** Shows the model that answers, and lets the user select another. */
export function ModelPicker({ models, selected, onOpen, onChange }: ModelPickerProps) {
  const [open, setOpen] = useState(false)
  /** The element that had the focus when the shortcut opened the list; it gets the focus back afterwards. */
  const before = useRef<HTMLElement>(null)
  /** The current value, for code that runs after the list has closed, when it may already be open again. */
  const isOpen = useRef(false)
  const label = selected ? t("chat:model.chosen", { name: selected.name }) : t("chat:model.choose")

  function show(opening: boolean) {
    if (opening) onOpen()
    isOpen.current = opening
    setOpen(opening)
  }

  useShortcuts({
    chooseModel() {
      // A closing list still has the focus, and must keep it when reopened.
      if (!open && before.current === null && document.activeElement instanceof HTMLElement) {
        before.current = document.activeElement
        before.current.blur() // keys typed before the list appears must not reach the message, in particular Enter
      }
      show(!open)
    },
  })

  const loading = <Spinner label={t("chat:model.loading")} />
  return (
    <div className="flex h-8 shrink-0 items-center">
      <Popover
        open={open}
        onOpenChange={show}
        label={t("chat:model.choose")}
        side="top"
        className="w-96 rounded-lg p-1"
        onInteractOutside={() => {
          before.current = null
        }}
        onCloseAutoFocus={(event) => {
          if (isOpen.current) return event.preventDefault()
          if (before.current?.isConnected) {
            event.preventDefault()
            before.current.focus()
          }
          before.current = null
        }}
        trigger={
          <button
            type="button"
            title={`${label} (${shortcutName("chooseModel")})`}
            aria-label={label}
            className="flex h-7 max-w-40 items-center gap-1.5 rounded-md px-2 text-sm text-soft transition-colors hover:bg-hover hover:text-ink data-[state=open]:bg-selected"
          >
            <Cpu className="size-4 shrink-0" aria-hidden />
            {selected && <span className="truncate">{selected.name}</span>}
          </button>
        }
      >
        {models ? (
          <Suspense fallback={loading}>
            <ModelChoices
              models={models}
              selected={selected}
              onChange={(id) => {
                onChange(id)
                show(false)
              }}
            />
          </Suspense>
        ) : (
          loading
        )}
      </Popover>
    </div>
  )
}
