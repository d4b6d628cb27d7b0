import { ChevronRight } from "lucide-react"
import { use, useState, type ReactNode } from "react"
import { OpenFolds } from "../shown-list.ts"

interface FoldProps {
  /** Its position; the same for as long as the chat is shown. */
  place: string
  summary: ReactNode
  children: ReactNode
}

/** An unobtrusive line that expands. Its content is rendered only when expanded. */
export function Fold({ place, summary, children }: FoldProps) {
  const folds = use(OpenFolds)
  const [open, setOpen] = useState(() => folds?.has(place) ?? false)
  function toggle(opens: boolean) {
    setOpen(opens)
    if (opens) folds?.add(place)
    else folds?.delete(place)
  }
  return (
    <details
      open={open}
      className="group/fold text-sm text-soft"
      onToggle={(event) => toggle(event.currentTarget.open)}
    >
      <summary className="flex min-h-7 w-fit max-w-full list-none items-center gap-2 rounded-md px-1 select-none hover:bg-hover hover:text-ink">
        {summary}
        <ChevronRight
          className="size-3.5 shrink-0 text-faint transition-transform [[open]>summary>&]:rotate-90"
          aria-hidden
        />
      </summary>
      {open && <div className="py-1.5">{children}</div>}
    </details>
  )
}
