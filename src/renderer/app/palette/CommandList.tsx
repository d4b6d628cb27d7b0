import { t } from "i18next"
import type { Command } from "./command.ts"
import { CommandGroup } from "./CommandGroup.tsx"
import { CommandOption } from "./CommandOption.tsx"
import type { Section } from "./rank.ts"

interface CommandListProps {
  id: string
  sections: readonly Section[]
  /** The command that Enter runs. */
  current: Command | undefined
  onRun: (command: Command) => void
}

/** The palette's results, by group. */
export function CommandList({ id, sections, current, onRun }: CommandListProps) {
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
export const optionId = (listId: string, { id }: Command) => `${listId}-${id.replaceAll(/\s+/g, "-")}`
