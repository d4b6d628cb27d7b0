import type { ReactNode } from "react"
import { Link, useLocation } from "wouter"
import { classNames } from "../ui/class-names.ts"

interface SidebarLinkProps {
  href: string
  icon: ReactNode
  title?: string
  /** Whether screens below its address are its own too. */
  withBelow?: boolean
  children: ReactNode
}

/** A way to a screen, marked while that is shown. */
export function SidebarLink({ href, icon, title, withBelow = false, children }: SidebarLinkProps) {
  const [location] = useLocation()
  const active = location === href || (withBelow && location.startsWith(`${href}/`))
  return (
    <Link
      href={href}
      title={title}
      aria-current={active ? "page" : undefined}
      className={classNames(
        "flex h-8 items-center gap-2 rounded-md px-2 text-sm transition-colors [&_svg]:size-4 [&_svg]:shrink-0",
        active ? "bg-selected text-ink" : "text-soft hover:bg-hover hover:text-ink",
      )}
    >
      {icon}
      <span className="min-w-0 truncate">{children}</span>
    </Link>
  )
}
