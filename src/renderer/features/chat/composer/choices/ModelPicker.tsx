import { t } from "i18next"
import { Cpu } from "lucide-react"
import { Suspense, useRef, useState } from "react"
import type { AnsweringModel } from "../../../../data/models/answering.ts"
import { shortcutName, useShortcuts } from "../../../../lib/keys/shortcut.ts"
import { Spinner } from "../../../../ui/Spinner.tsx"
import { Popover } from "../../../../ui/layers/Popover.tsx"
import { later } from "../../../../lib/later.ts"

const ModelChoices = later(async () => (await import("./ModelChoices.tsx")).ModelChoices)

interface ModelPickerProps {
  /** Undefined until they are there. */
  models: AnsweringModel[] | undefined
  /** The one that the next question names. */
  selected: AnsweringModel | undefined
  onLook: () => void
  onChange: (modelId: string | null) => void
}

/** Which model answers, and how to choose another one. */
export function ModelPicker({ models, selected, onLook, onChange }: ModelPickerProps) {
  const [open, setOpen] = useState(false)
  /** What had the focus when the keys opened it, and has it again afterwards. */
  const before = useRef<HTMLElement>(null)
  /** As it is at this moment, for what comes after a list that is gone: by then it may be open again. */
  const isOpen = useRef(false)
  const label = selected ? t("chat:model.chosen", { name: selected.name }) : t("chat:model.choose")

  function show(opening: boolean) {
    if (opening) onLook()
    isOpen.current = opening
    setOpen(opening)
  }

  useShortcuts({
    chooseModel() {
      // While the list goes away it still has the focus, and is to keep it when it is opened again.
      if (!open && before.current === null && document.activeElement instanceof HTMLElement) {
        before.current = document.activeElement
        before.current.blur() // what is typed before the list is there isn't for the message, least of all Enter
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
