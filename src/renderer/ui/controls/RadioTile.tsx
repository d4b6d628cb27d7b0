import type { ReactNode } from "react"
import { classNames } from "../class-names.ts"

interface RadioTileProps {
  /** What the choice is about: the same for all that exclude each other. */
  group: string
  /** What choosing it is called. */
  name: string
  chosen: boolean
  onChoose: () => void
  /** A small picture of it. */
  children: ReactNode
}

/** One of several small pictures to choose from. */
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
