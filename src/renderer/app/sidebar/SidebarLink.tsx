import { ChevronRight } from "lucide-react"
import { type ReactNode, useId } from "react"
import { Link, useLocation } from "wouter"
import { useProjects } from "../../data/projects.ts"
import { isBoolean, useRemembered } from "../../lib/remembered.ts"
import { classNames } from "../../ui/class-names.ts"

interface SidebarLinkProps {
  href: string
  icon: ReactNode
  title?: string
  /** Content to the left of the link. */
  start?: ReactNode
  /** Whether the link is also marked for screens below its address. */
  isActiveBelow?: boolean
  /** Other screens for which the link is marked. */
  otherRoutes?: readonly string[]
  /** Content at its right end: a count or a state. */
  end?: ReactNode
  /** Content next to the link, shown on hover. */
  action?: ReactNode
  children: ReactNode
}

/** A link to a screen, marked while that screen is shown. */
export function SidebarLink({
  href,
  icon,
  title,
  start,
  isActiveBelow = false,
  otherRoutes,
  end,
  action,
  children,
}: SidebarLinkProps) {
  const [location] = useLocation()
  const active =
    location === href ||
    otherRoutes?.includes(location) === true ||
    (isActiveBelow && location.startsWith(`${href}/`))
  return (
    <div
      className={classNames(
        "group/link flex h-8 items-center rounded-md transition-colors",
        active ? "bg-selected text-ink" : "text-soft hover:bg-hover hover:text-ink",
      )}
    >
      {start}
      <Link
        href={href}
        title={title}
        aria-current={active ? "page" : undefined}
        className={classNames(
          "flex h-full min-w-0 flex-1 items-center gap-2 rounded-md text-sm [&_svg]:size-4 [&_svg]:shrink-0",
          start === undefined ? "px-2" : "pr-2 pl-1",
        )}
      >
        {icon}
        <span className="min-w-0 truncate">{children}</span>
        {end}
      </Link>
      {action}
    </div>
  )
}

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

/** Maximum projects shown; the projects screen lists all. */
export const shownProjects = 3

/** Reserves the space of the projects until their component is loaded, so that the content below doesn't move. */
export function SidebarProjectsRoom() {
  const { data: projects = [] } = useProjects()
  const { length } = projects
  const rows = Math.min(length, shownProjects) + Number(length === 0 || length > shownProjects)
  return <div aria-hidden style={{ height: `calc(2.375rem + ${rows * 2}rem)` }} />
}
