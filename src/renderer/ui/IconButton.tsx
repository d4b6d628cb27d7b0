import type { ComponentProps } from "react"
import { classNames } from "./class-names.ts"
import { Tooltip } from "./Tooltip.tsx"

interface IconButtonProps extends ComponentProps<"button"> {
  /** What it does: its accessible name and its tooltip. */
  label: string
  keys?: string
}

/** An action with an icon only. */
export function IconButton({ label, keys, className, ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label} {...(keys === undefined ? {} : { keys })}>
      <button
        type="button"
        aria-label={label}
        {...rest}
        className={classNames(
          "inline-flex size-7 shrink-0 items-center justify-center rounded-md text-soft transition-colors",
          "hover:bg-hover hover:text-ink disabled:opacity-40 data-[state=open]:bg-selected [&_svg]:size-4",
          className,
        )}
      />
    </Tooltip>
  )
}
