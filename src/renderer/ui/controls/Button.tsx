import type { ComponentProps } from "react"
import { buttonClasses, type ButtonVariant } from "./button-classes.ts"
import { Spinner } from "../Spinner.tsx"

interface ButtonProps extends ComponentProps<"button"> {
  variant?: ButtonVariant
  /** Shows a spinner and ignores clicks. */
  busy?: boolean
}

/** A button with a label. */
export function Button({ variant = "secondary", busy = false, className, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={rest.disabled === true || busy}
      aria-busy={busy}
      className={buttonClasses(variant, className)}
    >
      {busy && <Spinner />}
      {children}
    </button>
  )
}
