import { t } from "i18next"
import { Dialog } from "radix-ui"
import { useId, type ReactNode, useState, type KeyboardEvent } from "react"
import type { FileFilter } from "../../../shared/contract/file-filter.ts"
import { isNarrowed, takeConditions, withoutLast } from "../../lib/file-filter.ts"
import { shortcutKeys, isShortcut } from "../../lib/keys/shortcut.ts"
import { classNames } from "../../ui/class-names.ts"
import { Keys } from "../ShortcutOverview.tsx"
import { FilterChips } from "../../ui/FilterChips.tsx"
import { MiddleCut } from "../../ui/text/LongText.tsx"
import { type Command, type Section, ranked, unsearched } from "./command.ts"
import { paletteField, palettePanel } from "./palette-classes.ts"
import { useCommandsHere, useStaticCommands, type FrameActions } from "./use-page-commands.tsx"
import { useFoundCommands } from "./use-found-commands.tsx"

const storageKey = "palette-recent"
const maxCount = 5

/** Returns the IDs of the commands last used in the palette, newest first. */
function readRecent(): string[] {
  return (localStorage.getItem(storageKey) ?? "").split("\n").filter((id) => id !== "")
}

function rememberRecent(id: string): void {
  const others = readRecent().filter((other) => other !== id)
  localStorage.setItem(storageKey, [id, ...others].slice(0, maxCount).join("\n"))
}

interface CommandOptionProps {
  id: string
  command: Command
  selected: boolean
  onRun: () => void
}

/** A command in the palette. */
function CommandOption({ id, command, selected, onRun }: CommandOptionProps) {
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

/** Commands of one kind under a heading. */
function CommandGroup({ name, children }: { name: string; children: ReactNode }) {
  const id = useId()
  return (
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- within a listbox, which takes no fieldset
    <div role="group" aria-labelledby={id} className="pb-1 last:pb-0">
      <div id={id} className="px-2.5 pt-2 pb-1 text-xs font-medium text-faint">
        {name}
      </div>
      {children}
    </div>
  )
}

interface CommandListProps {
  id: string
  sections: readonly Section[]
  /** The command that Enter runs. */
  current: Command | undefined
  onRun: (command: Command) => void
}

/** The palette's results, by group. */
function CommandList({ id, sections, current, onRun }: CommandListProps) {
  return (
    <div
      id={id}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- the list of a combobox, which no tag makes
      role="listbox"
      tabIndex={-1}
      aria-label={t("frame:palette.results")}
      className="max-h-[56vh] overflow-y-auto p-1.5"
    >
      {sections.map((section) => (
        <CommandGroup key={section.group} name={t(`frame:palette.groups.${section.group}`)}>
          {section.commands.map((command) => (
            <CommandOption
              key={command.id}
              id={optionId(id, command)}
              command={command}
              selected={command === current}
              onRun={() => onRun(command)}
            />
          ))}
        </CommandGroup>
      ))}
    </div>
  )
}

/** The element ID with which the palette's field refers to the current option. */
const optionId = (listId: string, { id }: Command) => `${listId}-${id.replaceAll(/\s+/g, "-")}`

/** Visible hints for the palette's keys. */
function PaletteHints() {
  return (
    <p
      className="flex items-center gap-4 border-t border-line px-4 py-2 text-xs text-faint max-sm:hidden"
      aria-hidden
    >
      <Hint
        keys={[...shortcutKeys("previousRow"), ...shortcutKeys("nextRow")]}
        text={t("frame:palette.move")}
      />
      <Hint keys={["↵"]} text={t("frame:palette.choose")} />
      <Hint keys={shortcutKeys("close")} text={t("frame:palette.leave")} />
    </p>
  )
}

function Hint({ keys, text }: { keys: string[]; text: string }) {
  return (
    <span className="flex items-center gap-1.5">
      <Keys keys={keys} /> {text}
    </span>
  )
}

interface CommandPaletteProps extends FrameActions {
  text: string
  onType: (text: string) => void
  /** The element that had the focus before and gets it back. */
  opener: Element | null
  onClose: () => void
}

/** Finds any screen or action by a few letters of its name. */
export function CommandPalette({ text, onType, opener, onClose, ...actions }: CommandPaletteProps) {
  const [selected, setSelected] = useState(0)
  const listId = useId()
  const [filter, setFilter] = useState<FileFilter>({})
  const narrowed = isNarrowed(filter)
  const search = text.trim()
  const found = useFoundCommands(search, filter)
  const screens = [...useCommandsHere(actions.onOpenChatDialog), ...useStaticCommands(actions)]
  // A filter is about files, so that only they are found.
  const named = narrowed ? [] : [...screens, ...found.byName]
  const sections = search === "" ? unsearched(named, readRecent()) : ranked(named, search, found.byText)
  const commands = sections.flatMap((section) => section.commands)
  const current = commands[Math.min(selected, commands.length - 1)]

  function run(command: Command | undefined) {
    if (!command) return
    rememberRecent(command.id)
    onClose()
    command.run()
  }

  /** Takes what is typed, and returns whether it had conditions for the filter. */
  function type(next: string, isDone: boolean): boolean {
    const taken = takeConditions(next, filter, { isDone })
    onType(taken.text)
    setFilter(taken.filter)
    setSelected(0)
    return taken.filter !== filter
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return
    if (isShortcut("palette", event)) {
      event.preventDefault()
      onClose()
      return
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      const from = Math.min(selected, commands.length - 1)
      setSelected((from + step + commands.length) % Math.max(1, commands.length))
    } else if (event.key === "Enter") {
      event.preventDefault()
      if (!type(text, true)) run(current)
    } else if (event.key === "Backspace" && text === "") setFilter(withoutLast(filter))
  }

  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <Dialog.Content
          data-modal
          aria-describedby={undefined}
          className={palettePanel}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            if (opener instanceof HTMLElement) opener.focus()
          }}
        >
          <Dialog.Title className="sr-only">{t("frame:palette.title")}</Dialog.Title>
          <input
            ref={focus}
            role="combobox"
            aria-label={t("frame:palette.label")}
            aria-expanded
            aria-controls={listId}
            aria-activedescendant={current && optionId(listId, current)}
            placeholder={t("frame:palette.placeholder")}
            value={text}
            autoComplete="off"
            spellCheck={false}
            maxLength={200}
            onChange={(event) => type(event.target.value, false)}
            onKeyDown={onKeyDown}
            className={paletteField}
          />
          {narrowed && <FilterChips filter={filter} onChange={setFilter} className="px-3 pt-2.5" />}
          <CommandList id={listId} sections={sections} current={current} onRun={run} />
          {commands.length === 0 && (
            <output className="block px-3 pt-4 pb-7 text-center text-sm break-words text-soft">
              {describeNothing(search, found.searching)}
            </output>
          )}
          <PaletteHints />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function describeNothing(search: string, isSearching: boolean): string {
  if (search === "") return t("narrowing:typeWords")
  return isSearching ? t("frame:palette.searching") : t("frame:palette.nothing", { search })
}

/** Focuses the field before anything else can receive a key. */
const focus = (field: HTMLInputElement | null) => field?.focus()
