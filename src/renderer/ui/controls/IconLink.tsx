import type { ReactNode } from "react"
import { Link } from "wouter"

interface IconLinkProps {
  href: string
  /** Where it leads: its accessible name and its tooltip. */
  label: string
  keys?: string
  onClick?: (() => void) | undefined
  /** Leads to what stands in the sidebar itself, which stays open where it lies over the page. */
  "data-keeps-drawer"?: boolean
  children: ReactNode
}

/** A way to a screen with an icon only. */
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
