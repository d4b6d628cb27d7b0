import { t } from "i18next"
import { ChevronDown, ChevronUp, X } from "lucide-react"
import { useDeferredValue, useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react"
import { useWindowKeys } from "../../../lib/keys/shortcut.ts"
import { IconButton } from "../../../ui/controls/Button.tsx"
import type { ShownList } from "../shown-list.ts"
import type { ShownMessage } from "../session/chat-view.ts"
import { countMatches, findingPattern, firstFrom, findMatchAt, shownText } from "./find-matches.ts"
import { useMarks } from "./use-marks.ts"

interface FindBarProps {
  messages: ShownMessage[]
  list: ShownList
  /** Changes when find is started again while the bar is open. */
  called: number
  onClose: () => void
}

const maxQueryLength = 200

/** Searches a whole chat, including messages that aren't rendered. */
export function FindBar({ messages, list, called, onClose }: FindBarProps) {
  const field = useRef<HTMLInputElement>(null)
  const [query, setQuery] = useState(selectedText)
  const found = useFound(messages, useDeferredValue(query), list)
  const { total, number, step } = found

  useEffect(() => {
    if (called > 0) field.current?.select()
  }, [called])

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return
    if (event.key === "Enter" && event.target === field.current) step(event.shiftKey ? -1 : 1)
    else if (event.key === "Escape") onClose()
    else return
    event.preventDefault()
  }
  useWindowKeys((event) => {
    if (event.key !== "Escape" || document.querySelector("[data-modal]")) return
    event.preventDefault()
    onClose()
  })

  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- keys of what is in it come by
    <search
      aria-label={t("chat:find")}
      onKeyDown={onKeyDown}
      className="flex shrink-0 items-center gap-1 border-b border-line px-4 py-1.5"
    >
      <input
        ref={field}
        type="text"
        role="searchbox"
        aria-label={t("longChats:find.field")}
        placeholder={t("longChats:find.field")}
        autoComplete="off"
        spellCheck={false}
        maxLength={maxQueryLength}
        value={query}
        onChange={(event) => setQuery(event.target.value)}
        className="h-8 min-w-0 flex-1 rounded-md border border-line bg-field px-2.5 text-sm hover:border-line-strong focus-visible:outline-offset-0"
      />
      <output className="shrink-0 px-1 text-sm whitespace-nowrap text-soft tabular-nums">
        {query.trim() !== "" &&
          (total === 0 ? t("longChats:find.nothing") : t("longChats:find.place", { number, total }))}
      </output>
      <IconButton
        label={t("longChats:find.previous")}
        keys="⇧ Enter"
        disabled={total === 0}
        onClick={() => step(-1)}
      >
        <ChevronUp aria-hidden />
      </IconButton>
      <IconButton
        label={t("longChats:find.next")}
        keys="Enter"
        disabled={total === 0}
        onClick={() => step(1)}
      >
        <ChevronDown aria-hidden />
      </IconButton>
      <IconButton label={t("common:close")} keys="Esc" onClick={onClose}>
        <X aria-hidden />
      </IconButton>
    </search>
  )
}

/** Returns the selected text, as the initial query. */
function selectedText(): string {
  const text = getSelection()?.toString().trim() ?? ""
  return text.length > maxQueryLength || text.includes("\n") ? "" : text
}

/** Finds the matches in the chat and the current one, which is initially the next from the reading position. */
function useFound(messages: ShownMessage[], query: string, list: ShownList) {
  const pattern = useMemo(() => findingPattern(query), [query])
  const counts = useMemo(
    () => (pattern ? countMatches(messages.map(shownText), pattern) : []),
    [messages, pattern],
  )
  const total = counts.reduce((sum, count) => sum + count, 0)
  const [at, setAt] = useState<{ pattern: RegExp | undefined; index: number }>()
  if (pattern !== at?.pattern) setAt({ pattern, index: firstFrom(counts, list.firstShown()) })
  const index = Math.min(at?.index ?? 0, Math.max(0, total - 1))
  const { text, nth } = findMatchAt(counts, index) ?? {}
  const place = useMemo(
    () => (text === undefined || nth === undefined ? undefined : { text, nth }),
    [text, nth],
  )
  useMarks(list, pattern, place)
  return {
    total,
    number: index + 1,
    step: (by: 1 | -1) => total > 0 && setAt({ pattern, index: (index + by + total) % total }),
  }
}
