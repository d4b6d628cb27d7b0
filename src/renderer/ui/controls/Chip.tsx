import type { ReactNode } from "react"
import { classNames } from "../class-names.ts"

interface ChipProps {
  pressed: boolean
  onClick: () => void
  children: ReactNode
}

/** A filter that is on or off. */
export function Chip({ pressed, onClick, children }: ChipProps) {
  return (
    <button
      type="button"
      aria-pressed={pressed}
      onClick={onClick}
      className={classNames(
        "inline-flex h-7 items-center rounded-full border px-3 text-sm transition-colors",
        pressed
          ? "border-accent bg-tint text-accent"
          : "border-line-strong text-soft hover:bg-hover hover:text-ink",
      )}
    >
      {children}
    </button>
  )
}
