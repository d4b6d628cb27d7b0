import type { ReactNode } from "react"
import { Link } from "wouter"
import { buttonLook, type ButtonVariant } from "./button-look.ts"

interface ButtonLinkProps {
  href: string
  variant?: ButtonVariant
  onClick?: () => void
  children: ReactNode
}

/** A way to another screen that looks like an action. */
export function ButtonLink({ href, variant = "secondary", onClick, children }: ButtonLinkProps) {
  return (
    <Link href={href} onClick={onClick} className={buttonLook(variant)}>
      {children}
    </Link>
  )
}
