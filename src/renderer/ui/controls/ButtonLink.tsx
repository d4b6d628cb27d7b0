import type { ReactNode } from "react"
import { Link } from "wouter"
import { buttonClasses, type ButtonVariant } from "./button-classes.ts"

interface ButtonLinkProps {
  href: string
  variant?: ButtonVariant
  title?: string
  onClick?: () => void
  children: ReactNode
}

/** A link to another page that looks like a button. */
export function ButtonLink({ href, variant = "secondary", title, onClick, children }: ButtonLinkProps) {
  return (
    <Link href={href} title={title} onClick={onClick} className={buttonClasses(variant)}>
      {children}
    </Link>
  )
}
