import { classNames } from "../../../../ui/class-names.ts"
import type { MentionOption } from "./mention.ts"
import { MiddleCut } from "../../../../ui/text/MiddleCut.tsx"

interface MentionListProps {
  id: string
  title: string
  options: MentionOption[]
  selected: number
  onChoose: (option: MentionOption) => void
}

export const mentionOptionId = (listId: string, index: number): string => `${listId}-${index}`

/** The options that can be mentioned, shown over the composer, which keeps the focus. */
export function MentionList({ id, title, options, selected, onChoose }: MentionListProps) {
  return (
    <div className="absolute inset-x-0 bottom-full z-20 mb-2 animate-appear rounded-lg bg-raised p-1 shadow-float">
      <p className="px-2 py-1 text-xs font-medium text-faint">{title}</p>
      <div
        id={id}
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- the list of a text area, which no tag makes
        role="listbox"
        tabIndex={-1}
        aria-label={title}
        className="max-h-64 overflow-y-auto"
      >
        {options.map((option, index) => (
          // The text area keeps the focus and handles the keys; a click is the alternative.
          <div
            key={option.id}
            id={mentionOptionId(id, index)}
            // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- an entry of such a list
            role="option"
            tabIndex={-1}
            aria-selected={index === selected}
            ref={(element) => {
              if (index === selected) element?.scrollIntoView({ block: "nearest" })
            }}
            title={option.name}
            onMouseDown={(event) => {
              event.preventDefault()
              onChoose(option)
            }}
            className={classNames(
              "flex h-8 items-center gap-2 rounded-md px-2 text-sm [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-faint",
              index === selected ? "bg-selected" : "hover:bg-hover",
            )}
          >
            {option.icon}
            <span className="min-w-0 flex-1 truncate">
              <MiddleCut text={option.name} />
            </span>
            {option.detail !== undefined && (
              <span className="shrink-0 text-xs text-soft">{option.detail}</span>
            )}
          </div>
        ))}
      </div>
    </div>
  )
}
