import { t } from "i18next"
import { Dialog } from "radix-ui"
import { useId, useState, type KeyboardEvent } from "react"
import { isShortcut } from "../../lib/keys/shortcut.ts"
import type { Command } from "./command.ts"
import { CommandList, optionId } from "./CommandList.tsx"
import { PaletteHints } from "./PaletteHints.tsx"
import { paletteField, palettePanel } from "./palette-classes.ts"
import { ranked, unsearched } from "./rank.ts"
import { readRecent, rememberRecent } from "./recent.ts"
import { useCommandsHere } from "./use-commands-here.tsx"
import { useFoundCommands } from "./use-found-commands.tsx"
import { useStaticCommands, type FrameActions } from "./use-static-commands.tsx"

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
  const search = text.trim()
  const found = useFoundCommands(search)
  const named = [...useCommandsHere(actions.onOpenChatDialog), ...useStaticCommands(actions), ...found.byName]
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
          <CommandList id={listId} sections={sections} current={current} onRun={run} />
          {commands.length === 0 && (
            <output className="block px-3 pt-4 pb-7 text-center text-sm break-words text-soft">
              {found.searching ? t("frame:palette.searching") : t("frame:palette.nothing", { search })}
            </output>
          )}
          <PaletteHints />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** Focuses the field before anything else can receive a key. */
const focus = (field: HTMLInputElement | null) => field?.focus()
