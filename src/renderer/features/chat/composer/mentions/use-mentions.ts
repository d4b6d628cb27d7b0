import { useId, useLayoutEffect, useRef, useState, type KeyboardEvent, type RefObject } from "react"
import {
  completeMention,
  matchingOptions,
  mentionAt,
  type MentionOption,
  type MentionSource,
  type OpenMention,
} from "./mention.ts"
import { mentionOptionId } from "./MentionList.tsx"

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
