import { Dialog } from "radix-ui"
import { useId, useState, type KeyboardEvent } from "react"
import { classNames } from "../ui/class-names.ts"
import { usePaletteCommands, type Command } from "./palette-commands.tsx"

/** Goes to any chat, folder or action by a few letters of its name. */
export function CommandPalette({ onClose }: { onClose: () => void }) {
  const [search, setSearch] = useState("")
  const [selected, setSelected] = useState(0)
  const listId = useId()
  const commands = usePaletteCommands(search.trim())
  const current = commands[Math.min(selected, commands.length - 1)]

  function run(command: Command | undefined) {
    onClose()
    command?.run()
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setSelected(
        (Math.min(selected, commands.length - 1) + step + commands.length) % Math.max(1, commands.length),
      )
    } else if (event.key === "Enter") {
      event.preventDefault()
      run(current)
    }
  }

  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed top-[12vh] left-1/2 z-40 w-[min(36rem,calc(100vw-2rem))] -translate-x-1/2 animate-appear overflow-hidden rounded-xl bg-raised shadow-float"
        >
          <Dialog.Title className="sr-only">Go to anything</Dialog.Title>
          <input
            role="combobox"
            aria-label="Go to"
            aria-expanded
            aria-controls={listId}
            aria-activedescendant={current && `${listId}-${current.id}`}
            placeholder="Go to a chat, a folder, an action…"
            value={search}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => {
              setSearch(event.target.value)
              setSelected(0)
            }}
            onKeyDown={onKeyDown}
            className="h-12 w-full border-b border-line px-4 text-[0.9375rem] focus-visible:outline-none"
          />
          <div
            id={listId}
            // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- the list of a combobox, which no tag makes
            role="listbox"
            tabIndex={-1}
            aria-label="Results"
            className="max-h-[50vh] overflow-y-auto p-1.5"
          >
            {commands.map((command) => (
              <CommandOption
                key={command.id}
                id={`${listId}-${command.id}`}
                command={command}
                selected={command === current}
                onRun={() => run(command)}
              />
            ))}
            {commands.length === 0 && (
              <p className="px-3 py-6 text-center text-sm text-soft">Nothing is called that</p>
            )}
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

interface CommandOptionProps {
  id: string
  command: Command
  selected: boolean
  onRun: () => void
}

function CommandOption({ id, command, selected, onRun }: CommandOptionProps) {
  return (
    // The input keeps the focus and its keys choose; the pointer is the other way.
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
      <span className="min-w-0 flex-1 truncate">{command.name}</span>
      <span className="shrink-0 text-xs text-soft">{command.kind}</span>
    </div>
  )
}
