import type { ComponentProps } from "react"
import { classNames } from "../class-names.ts"
import { Tooltip } from "../layers/Tooltip.tsx"

const variants = {
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
  variant?: keyof typeof variants
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
          variants[variant],
          className,
        )}
      />
    </Tooltip>
  )
}
