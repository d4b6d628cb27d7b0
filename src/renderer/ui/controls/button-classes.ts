import { classNames } from "../class-names.ts"

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
