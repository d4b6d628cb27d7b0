import { classNames } from "../../ui/class-names.ts"
import { Keys } from "../../ui/text/Keys.tsx"
import type { Command } from "./command.ts"
import { MiddleCut } from "../../ui/text/MiddleCut.tsx"

interface CommandOptionProps {
  id: string
  command: Command
  selected: boolean
  onRun: () => void
}

/** A command in the palette. */
export function CommandOption({ id, command, selected, onRun }: CommandOptionProps) {
  return (
    // The input keeps the focus and handles the keys; a click is the alternative.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      id={id}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- an entry of a combobox, which no tag makes
      role="option"
      tabIndex={-1}
      aria-selected={selected}
      ref={(element) => {
        if (selected) element?.scrollIntoView({ block: "nearest" })
      }}
      onClick={onRun}
      className={classNames(
        "flex h-9 items-center gap-3 rounded-md px-2.5 text-sm [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-faint",
        selected ? "bg-selected" : "hover:bg-hover",
      )}
    >
      {command.icon}
      <span className="min-w-0 flex-1 truncate" title={command.name}>
        {command.fileName === "name" ? <MiddleCut text={command.name} /> : command.name}
      </span>
      {command.detail !== undefined && (
        <span className="max-w-[40%] shrink-0 truncate text-xs text-soft" title={command.detail}>
          {command.fileName === "detail" ? <MiddleCut text={command.detail} /> : command.detail}
        </span>
      )}
      {command.keys && <Keys keys={command.keys} />}
    </div>
  )
}
