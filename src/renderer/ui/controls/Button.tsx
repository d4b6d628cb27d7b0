import type { ComponentProps, ReactNode } from "react"
import { Link } from "wouter"
import { Spinner } from "../Progress.tsx"
import { classNames } from "../class-names.ts"
import { Tooltip } from "../layers/Tooltip.tsx"

const variants = {
  primary: "bg-solid text-on-solid hover:bg-solid-hover",
  secondary: "border border-line-strong bg-field text-ink hover:bg-hover",
  quiet: "text-soft hover:bg-hover hover:text-ink",
  danger: "border border-line-strong bg-field text-danger hover:bg-danger-tint",
}

export type ButtonVariant = keyof typeof variants

/** Classes for an action, whether a button or a link. */
export const buttonClasses = (variant: ButtonVariant, className?: string): string =>
  classNames(
    "inline-flex h-8 shrink-0 items-center justify-center gap-1.5 rounded-md px-3 text-sm font-medium whitespace-nowrap",
    "transition-colors disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0",
    variants[variant],
    className,
  )

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

const iconVariants = {
  quiet: "size-7 rounded-md text-soft hover:bg-hover hover:text-ink disabled:opacity-40",
  /** The most important action in its context. */
  main: "size-8 rounded-lg bg-solid text-on-solid hover:bg-solid-hover disabled:bg-selected disabled:text-faint",
  /** Replaces the main action while that is running. */
  interim: "size-8 rounded-lg bg-selected text-ink hover:bg-line-strong disabled:opacity-40",
}

interface IconButtonProps extends ComponentProps<"button"> {
  /** The action, as its accessible name and its tooltip. */
  label: string
  keys?: string
  variant?: keyof typeof iconVariants
}

/** A button with an icon only. */
export function IconButton({ label, keys, variant = "quiet", className, ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label} {...(keys === undefined ? {} : { keys })}>
      <button
        type="button"
        aria-label={label}
        {...rest}
        className={classNames(
          "inline-flex shrink-0 items-center justify-center transition-colors data-[state=open]:bg-selected [&_svg]:size-4",
          iconVariants[variant],
          className,
        )}
      />
    </Tooltip>
  )
}

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
