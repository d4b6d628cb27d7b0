import type { ReactNode } from "react"
import { Link, useLocation } from "wouter"
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
