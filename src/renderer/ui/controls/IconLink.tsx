import type { ReactNode } from "react"
import { Link } from "wouter"

interface IconLinkProps {
  href: string
  /** The destination, as its accessible name and its tooltip. */
  label: string
  keys?: string
  onClick?: (() => void) | undefined
  /** Set if the link changes the sidebar itself, which then stays open where it covers the page. */
  "data-keeps-drawer"?: boolean
  children: ReactNode
}

/** A link to a page with an icon only. */
export const IconLink = ({ label, keys, onClick, children, ...rest }: IconLinkProps) => (
  <Link
    {...rest}
    {...(onClick && { onClick })}
    aria-label={label}
    title={keys === undefined ? label : `${label} (${keys})`}
    className="inline-flex size-7 shrink-0 items-center justify-center rounded-md text-soft hover:bg-hover hover:text-ink [&_svg]:size-4"
  >
    {children}
  </Link>
)
