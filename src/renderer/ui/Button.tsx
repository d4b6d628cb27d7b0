import type { ComponentProps } from "react"
import { classNames } from "./class-names.ts"
import { Spinner } from "./Spinner.tsx"

const variants = {
  primary: "bg-solid text-on-solid hover:bg-solid-hover",
  secondary: "border border-line-strong bg-field text-ink hover:bg-hover",
  quiet: "text-soft hover:bg-hover hover:text-ink",
  danger: "border border-line-strong bg-field text-danger hover:bg-danger-tint",
}

interface ButtonProps extends ComponentProps<"button"> {
  variant?: keyof typeof variants
  /** Shows a spinner and takes no clicks. */
  busy?: boolean
}

/** A labelled action. */
export function Button({ variant = "secondary", busy = false, className, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={rest.disabled === true || busy}
      aria-busy={busy}
      className={classNames(
        "inline-flex h-8 shrink-0 items-center justify-center gap-1.5 rounded-md px-3 text-sm font-medium whitespace-nowrap",
        "transition-colors disabled:opacity-50 disabled:hover:bg-none [&_svg]:size-4 [&_svg]:shrink-0",
        variants[variant],
        className,
      )}
    >
      {busy && <Spinner />}
      {children}
    </button>
  )
}
