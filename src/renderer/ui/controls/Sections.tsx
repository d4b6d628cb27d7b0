import { ChevronRight } from "lucide-react"
import { createContext, use, type ReactNode, useId } from "react"
import { classNames } from "../class-names.ts"

/** The section's heading, which a group with the same title doesn't repeat. */
export const SectionTitle = createContext("")

interface SettingsGroupProps {
  title: string
  description?: string
  action?: ReactNode
  children: ReactNode
}

/** A titled group of settings. */
export function SettingsGroup({ title, description, action, children }: SettingsGroupProps) {
  const repeats = use(SectionTitle) === title
  return (
    <section className="mb-8">
      <div className="mb-3 flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="min-w-0 flex-[1_1_18rem]">
          {!repeats && <h2 className="font-medium">{title}</h2>}
          {description !== undefined && <p className="mt-0.5 text-sm text-soft">{description}</p>}
        </div>
        {action}
      </div>
      {children}
    </section>
  )
}

/** Names and values in rows, separated by thin lines. */
export function Facts({ rows }: { rows: [name: string, value: ReactNode][] }) {
  return (
    <dl className="divide-y divide-line rounded-lg border border-line">
      {rows.map(([name, value]) => (
        <div key={name} className="flex min-h-10 items-center justify-between gap-6 px-3 py-2 text-sm">
          <dt className="shrink-0 text-soft">{name}</dt>
          <dd className="min-w-0 text-right break-words">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

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
