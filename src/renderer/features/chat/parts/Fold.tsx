import { ChevronRight } from "lucide-react"
import { useState, type ReactNode } from "react"

/** A quiet line that opens. What is in it is drawn only then. */
export function Fold({ summary, children }: { summary: ReactNode; children: ReactNode }) {
  const [open, setOpen] = useState(false)
  return (
    <details className="group/fold text-sm text-soft" onToggle={(event) => setOpen(event.currentTarget.open)}>
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
