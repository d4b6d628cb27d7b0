import { ChevronRight } from "lucide-react"
import { useId, type ReactNode } from "react"
import { classNames } from "../class-names.ts"

interface DisclosureProps {
  title: string
  /** Whether the title is a heading on the page. */
  heading?: boolean
  /** A brief description of its content, shown while it is closed. */
  summary?: string
  open: boolean
  onToggle: () => void
  children: ReactNode
}

/** A line that expands. Its content is rendered only while it is open. */
export function Disclosure({ title, heading = false, summary, open, onToggle, children }: DisclosureProps) {
  const id = useId()
  const button = (
    <button
      type="button"
      aria-expanded={open}
      aria-controls={open ? id : undefined}
      onClick={onToggle}
      className="-ml-1 flex max-w-full items-center gap-1.5 rounded-md px-1 py-1 text-left text-sm hover:bg-hover"
    >
      <ChevronRight
        className={classNames("size-3.5 shrink-0 text-faint transition-transform", open && "rotate-90")}
        aria-hidden
      />
      {title}
    </button>
  )
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-2">
        {heading ? <h2 className="font-medium">{button}</h2> : button}
        {!open && summary !== undefined && (
          <p className="min-w-0 text-xs break-words text-faint">{summary}</p>
        )}
      </div>
      {open && <div id={id}>{children}</div>}
    </>
  )
}
