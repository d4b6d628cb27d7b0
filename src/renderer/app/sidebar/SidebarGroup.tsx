import { ChevronRight } from "lucide-react"
import { useId, type ReactNode } from "react"
import { isBoolean, useRemembered } from "../../lib/remembered.ts"
import { classNames } from "../../ui/class-names.ts"

interface SidebarGroupProps {
  /** Storage key for whether the group is open on this computer. */
  name: string
  title: string
  initiallyOpen: boolean
  /** An action to the right of the title. */
  action?: ReactNode
  children: ReactNode
}

/** Links under a title that collapses them. */
export function SidebarGroup({ name, title, initiallyOpen, action, children }: SidebarGroupProps) {
  const [open, setOpen] = useRemembered(`sidebar-${name}`, initiallyOpen, isBoolean)
  const id = useId()
  return (
    <section aria-label={title} className="px-2 pt-3">
      <div className="flex items-center pb-0.5">
        <h2 className="flex min-w-0 flex-1">
          <button
            type="button"
            aria-expanded={open}
            aria-controls={open ? id : undefined}
            onClick={() => setOpen(!open)}
            className="group/title flex h-6 min-w-0 flex-1 items-center gap-1 rounded px-2 text-left text-xs font-medium text-faint hover:text-ink"
          >
            {title}
            <ChevronRight
              className={classNames(
                "size-3 transition-[transform,opacity]",
                open
                  ? "rotate-90 opacity-0 group-hover/title:opacity-100 group-focus-visible/title:opacity-100 no-hover:opacity-100"
                  : "",
              )}
              aria-hidden
            />
          </button>
        </h2>
        {action}
      </div>
      {open && <div id={id}>{children}</div>}
    </section>
  )
}
