import { t } from "i18next"
import { Dialog } from "radix-ui"
import { useId, useState, type KeyboardEvent } from "react"
import { isShortcut, shortcutKeys } from "../../lib/keys/shortcut.ts"
import { Keys } from "../../ui/text/Keys.tsx"
import type { Command } from "./command.ts"
import { CommandGroup } from "./CommandGroup.tsx"
import { CommandOption } from "./CommandOption.tsx"
import { paletteField, palettePanel } from "./palette-look.ts"
import { ranked, unsearched } from "./rank.ts"
import { readRecent, rememberRecent } from "./recent.ts"
import { useFoundCommands } from "./use-found-commands.tsx"
import { useStaticCommands, type FrameActions } from "./use-static-commands.tsx"

interface CommandPaletteProps extends FrameActions {
  text: string
  onType: (text: string) => void
  /** What had the focus before, and gets it back. */
  opener: Element | null
  onClose: () => void
}

/** Goes anywhere and does anything by a few letters of its name. */
export function CommandPalette({ text, onType, opener, onClose, ...actions }: CommandPaletteProps) {
  const [selected, setSelected] = useState(0)
  const listId = useId()
  const search = text.trim()
  const found = useFoundCommands(search)
  const named = [...useStaticCommands(actions), ...found.byName]
  const sections = search === "" ? unsearched(named, readRecent()) : ranked(named, search, found.byText)
  const commands = sections.flatMap((section) => section.commands)
  const current = commands[Math.min(selected, commands.length - 1)]

  function run(command: Command | undefined) {
    if (!command) return
    rememberRecent(command.id)
    onClose()
    command.run()
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
      run(current)
    }
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
            onChange={(event) => {
              onType(event.target.value)
              setSelected(0)
            }}
            onKeyDown={onKeyDown}
            className={paletteField}
          />
          <div
            id={listId}
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
                    id={optionId(listId, command)}
                    command={command}
                    selected={command === current}
                    onRun={() => run(command)}
                  />
                ))}
              </CommandGroup>
            ))}
          </div>
          {commands.length === 0 && (
            <output className="block px-3 pt-4 pb-7 text-center text-sm break-words text-soft">
              {found.searching ? t("frame:palette.searching") : t("frame:palette.nothing", { search })}
            </output>
          )}
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
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Hint({ keys, text }: { keys: string[]; text: string }) {
  return (
    <span className="flex items-center gap-1.5">
      <Keys keys={keys} /> {text}
    </span>
  )
}

const optionId = (listId: string, { id }: Command) => `${listId}-${id.replaceAll(/\s+/g, "-")}`

/** Before anything else may take a key. */
const focus = (field: HTMLInputElement | null) => field?.focus()
