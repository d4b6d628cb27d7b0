import type { ReactNode } from "react"
import { classNames } from "../class-names.ts"

interface RadioTileProps {
  /** Name of the radio group, the same for all tiles that exclude each other. */
  group: string
  /** Label of the choice. */
  name: string
  chosen: boolean
  onChoose: () => void
  /** A small image of the choice. */
  children: ReactNode
}

/** One of several small images to choose from. */
export function RadioTile({ group, name, chosen, onChoose, children }: RadioTileProps) {
  return (
    <label
      title={name}
      className={classNames(
        "flex size-8 items-center justify-center rounded-md has-focus-visible:outline-2 has-focus-visible:outline-accent",
        chosen ? "bg-selected inset-ring inset-ring-line-strong" : "hover:bg-hover",
      )}
    >
      <input
        type="radio"
        name={group}
        aria-label={name}
        checked={chosen}
        onChange={onChoose}
        className="sr-only"
      />
      {children}
    </label>
  )
}
