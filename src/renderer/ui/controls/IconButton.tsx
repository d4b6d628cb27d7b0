import type { ComponentProps } from "react"
import { classNames } from "../class-names.ts"
import { Tooltip } from "../layers/Tooltip.tsx"

const variants = {
  quiet: "size-7 rounded-md text-soft hover:bg-hover hover:text-ink disabled:opacity-40",
  /** The one action that matters most where it stands. */
  main: "size-8 rounded-lg bg-solid text-on-solid hover:bg-solid-hover disabled:bg-selected disabled:text-faint",
  /** What stands in the main action's place while it runs. */
  interim: "size-8 rounded-lg bg-selected text-ink hover:bg-line-strong disabled:opacity-40",
}

interface IconButtonProps extends ComponentProps<"button"> {
  /** What it does: its accessible name and its tooltip. */
  label: string
  keys?: string
  variant?: keyof typeof variants
}

/** An action with an icon only. */
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
