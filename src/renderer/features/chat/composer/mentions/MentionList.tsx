import { useId, useLayoutEffect, useRef, useState, type KeyboardEvent, type RefObject } from "react"
import { classNames } from "../../../../ui/class-names.ts"
import { MiddleCut } from "../../../../ui/text/LongText.tsx"
import {
  type MentionOption,
  completeMention,
  matchingOptions,
  mentionAt,
  type MentionSource,
  type OpenMention,
} from "./mention-sources.tsx"

interface MentionListProps {
  id: string
  title: string
  options: MentionOption[]
  selected: number
  onChoose: (option: MentionOption) => void
}

const mentionOptionId = (listId: string, index: number): string => `${listId}-${index}`

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

interface Mentions {
  /** The contents of the list; undefined if there is nothing to select. */
  list: { id: string; title: string; options: MentionOption[]; selected: number } | undefined
  choose: (option: MentionOption) => void
  /** Returns true if the list handled the key. */
  onKeyDown: (event: KeyboardEvent) => boolean
  /** Call this after the text or the caret has changed. */
  detectMention: () => void
  /** ARIA attributes for the text area. */
  aria: { "aria-controls"?: string; "aria-activedescendant"?: string }
}

/** Lets the user select names while typing in a text area. */
export function useMentions(
  area: RefObject<HTMLTextAreaElement | null>,
  text: string,
  onTextChange: (text: string) => void,
  sources: MentionSource[],
): Mentions {
  const id = useId()
  const [open, setOpen] = useState<OpenMention>()
  const [selected, setSelected] = useState(0)
  const [dismissed, setDismissed] = useState<number>()
  const caret = useRef<number>(undefined)

  // Move the caret to the end of a completed name as soon as the area contains it.
  useLayoutEffect(() => {
    if (caret.current === undefined || area.current?.value !== text) return
    area.current.setSelectionRange(caret.current, caret.current)
    caret.current = undefined
  }, [area, text])

  const source = sources.find(({ trigger }) => trigger === open?.trigger)
  const options =
    open && source && open.start !== dismissed ? matchingOptions(source.options, open.query) : []
  const index = Math.min(selected, options.length - 1)

  function detectMention() {
    const element = area.current
    if (!element) return
    const next = mentionAt(
      element.value,
      element.selectionStart === element.selectionEnd ? element.selectionStart : 0,
      sources.map(({ trigger }) => trigger),
    )
    if (next?.start !== open?.start) {
      setSelected(0)
      setDismissed(undefined)
    }
    follow(next)
  }

  function follow(next: OpenMention | undefined) {
    setOpen(next)
    for (const { trigger, onQuery } of sources) onQuery?.(next?.trigger === trigger ? next.query : undefined)
  }

  function choose(option: MentionOption) {
    if (!open || !source) return
    const completed = completeMention(text, open, option.name)
    caret.current = completed.caret
    onTextChange(completed.text)
    follow(undefined)
    source.onChoose(option)
  }

  function onKeyDown(event: KeyboardEvent): boolean {
    if (options.length === 0 || event.nativeEvent.isComposing) return false
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const option = options[index]
    if (step !== undefined) setSelected((index + step + options.length) % options.length)
    else if ((event.key === "Enter" || event.key === "Tab") && option && !event.shiftKey) choose(option)
    else if (event.key === "Escape") setDismissed(open?.start)
    else return false
    event.preventDefault()
    return true
  }

  const shown = options.length > 0 && source
  return {
    list: shown ? { id, title: source.title, options, selected: index } : undefined,
    choose,
    onKeyDown,
    detectMention,
    aria: shown ? { "aria-controls": id, "aria-activedescendant": mentionOptionId(id, index) } : {},
  }
}
