import { t } from "i18next"
import { ChevronDown, ChevronUp, X } from "lucide-react"
import {
  useEffect,
  useEffectEvent,
  useDeferredValue,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
} from "react"
import { wordPattern, plainText as toPlainText } from "../../../../shared/words/words.ts"
import { useWindowKeys } from "../../../lib/keys/shortcut.ts"
import { IconButton } from "../../../ui/controls/Button.tsx"
import { plainText, type ShownMessage } from "../session/chat-view.ts"
import type { ShownList } from "../shown-list.ts"
import "./find.css"

/** Returns a pattern that finds a text in any case, with or without accents, and across line ends. Undefined for an empty query. */
export function findingPattern(query: string): RegExp | undefined {
  const words = query.split(/\s+/).filter((word) => word !== "")
  return words.length === 0 ? undefined : new RegExp(words.map(wordPattern).join("\\s+"), "giu")
}

/** Counts the matches in each text. */
export const countMatches = (texts: readonly string[], pattern: RegExp): number[] =>
  texts.map((text) => [...text.matchAll(pattern)].length)

interface TextMatch {
  /** Index of the text. */
  text: number
  /** Index of the match in the text. */
  nth: number
}

/** Returns the match with this number, counted from 0 across all texts. */
export function findMatchAt(counts: readonly number[], number: number): TextMatch | undefined {
  let before = 0
  for (const [text, count] of counts.entries()) {
    if (number < before + count) return { text, nth: number - before }
    before += count
  }
  return undefined
}

/** Returns the number of the first match in this text or after it, or of the first match if none follows. */
export function firstFrom(counts: readonly number[], text: number): number {
  const before = counts.slice(0, text).reduce((sum, count) => sum + count, 0)
  return counts.slice(text).some((count) => count > 0) ? before : 0
}

const fenced =
  /^ {0,3}(?<fence>`{3,}|~{3,})(?![`~])[^\n]*\n(?<code>[^]*?)(?:^ {0,3}\k<fence>[`~]*[ \t]*$|$(?![^]))/gm
const escaped = /\\(?<sign>[!-/:-@[-`{-~])/g
const citation = /\[\d{1,4}\]/g

const known = new WeakMap<ShownMessage, string>()

/** Returns the searchable text of a message: a question, or an answer's text with its code, tables and quotations. */
function shownText(message: ShownMessage): string {
  const before = known.get(message)
  if (before !== undefined) return before
  const text = message.role === "assistant" ? answerText(message) : message.content
  known.set(message, text)
  return text
}

function answerText({ parts }: ShownMessage): string {
  const text = toRenderedText(plainText(parts))
  // Source numbers are buttons, not text.
  return parts.some(({ type }) => type === "source") ? text.replaceAll(citation, "") : text
}

/** Returns Markdown as it is rendered. Code keeps all its characters. */
export function toRenderedText(markdown: string): string {
  let drawn = ""
  let done = 0
  for (const { 0: block, index, groups } of markdown.matchAll(fenced)) {
    drawn += prose(markdown.slice(done, index)) + (groups?.["code"] ?? "")
    done = index + block.length
  }
  return drawn + prose(markdown.slice(done))
}

const prose = (markdown: string): string => toPlainText(markdown).replaceAll(escaped, "$<sign>")

const texts = "[data-question], .markdown:not(details *)"
/** Not searched: controls around code, source numbers, and formulas for screen readers. */
const excludedSelector = "button, .katex-mathml, [data-besides]"
const blocks = "p, li, td, th, h1, h2, h3, h4, h5, h6, pre, blockquote, div, .block"
/** Maximum matches marked in all rows together. */
const maxMarks = 5000

/** Returns the matches in a rendered message, in order. */
function drawnMatches(row: Element, pattern: RegExp): Range[] {
  const found: Range[] = []
  for (const element of row.querySelectorAll(texts)) {
    const nodes = textNodes(element)
    const text = nodes.map(({ before, node }) => before + node.data).join("")
    for (const { index, 0: match } of text.matchAll(pattern)) {
      if (found.length === maxMarks) return found
      const range = new Range()
      range.setStart(...pointAt(nodes, index, false))
      range.setEnd(...pointAt(nodes, index + match.length, true))
      found.push(range)
    }
  }
  return found
}

interface PlacedText {
  node: Text
  /** Separator between this text and the previous one. */
  before: "" | "\n"
  /** Offset of its start in the whole text. */
  start: number
}

/** Returns an element's text nodes, with a line break between blocks. */
function textNodes(element: Element): PlacedText[] {
  const walker = document.createTreeWalker(
    element,
    NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT,
    (node) => {
      if (node instanceof Text) return NodeFilter.FILTER_ACCEPT
      return (node as Element).matches(excludedSelector) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_SKIP
    },
  )
  const nodes: PlacedText[] = []
  let block: Element | null | undefined
  let start = 0
  while (walker.nextNode()) {
    const node = walker.currentNode as Text
    const its = node.parentElement?.closest(blocks)
    const before = block === undefined || its === block ? "" : "\n"
    block = its
    start += before.length
    nodes.push({ node, before, start })
    start += node.data.length
  }
  return nodes
}

function pointAt(nodes: PlacedText[], offset: number, isEnd: boolean): [Text, number] {
  let [low, high] = [0, nodes.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const nodeStart = nodes[middle]?.start ?? 0
    if (isEnd ? nodeStart < offset : nodeStart <= offset) low = middle
    else high = middle - 1
  }
  const { node, start } = nodes[low] as PlacedText
  return [node, Math.min(offset - start, node.data.length)]
}

/** Scroll position of a match, as a fraction of the visible height. */
const upperPart = 0.3
/** Frames to wait until the match is rendered and its surroundings are stable. */
const maxFrames = 180
const steadyFrames = 3

/** Marks all rendered matches, and scrolls the current one into view. */
function useMarks(list: ShownList, pattern: RegExp | undefined, place: TextMatch | undefined): void {
  const mark = useEffectEvent(() => markMatches(list.content(), pattern, place))

  useEffect(() => {
    const content = list.content()
    if (!content) return undefined
    let frame = 0
    const scheduleMark = () => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(mark)
    }
    const observer = new MutationObserver(scheduleMark)
    observer.observe(content, { subtree: true, childList: true, characterData: true })
    return () => {
      observer.disconnect()
      cancelAnimationFrame(frame)
      CSS.highlights.delete("found")
      CSS.highlights.delete("found-here")
    }
  }, [list])

  useEffect(() => {
    mark()
    if (!pattern || !place) return undefined
    list.goTo(place.text)
    let frames = 0
    let steady = 0
    const approach = () => {
      const here = mark()
      steady = here && isInView(here, list) ? steady + 1 : 0
      if (here && steady === 0) bringIntoView(here, list)
      if (steady < steadyFrames && ++frames < maxFrames) frame = requestAnimationFrame(approach)
    }
    let frame = requestAnimationFrame(approach)
    const cancelFrame = () => cancelAnimationFrame(frame)
    const scroller = list.scroller()
    scroller?.addEventListener("wheel", cancelFrame, { passive: true })
    scroller?.addEventListener("pointerdown", cancelFrame, { passive: true })
    return () => {
      cancelFrame()
      scroller?.removeEventListener("wheel", cancelFrame)
      scroller?.removeEventListener("pointerdown", cancelFrame)
    }
  }, [list, pattern, place])
}

/** Marks all rendered matches. Returns the current one if it is rendered. */
function markMatches(
  content: HTMLElement | null,
  pattern: RegExp | undefined,
  place: TextMatch | undefined,
): Range | undefined {
  const rows = pattern ? [...(content?.querySelectorAll<HTMLElement>("[data-index]") ?? [])] : []
  let here: Range | undefined
  const found = rows.flatMap((row) => {
    const ranges = pattern ? drawnMatches(row, pattern) : []
    // The rendered Markdown is more exact than the text in which the matches were counted.
    if (place && row.dataset["index"] === String(place.text)) here = ranges[place.nth] ?? ranges.at(-1)
    return ranges
  })
  CSS.highlights.set("found", new Highlight(...found.filter((range) => range !== here)))
  CSS.highlights.set("found-here", new Highlight(...(here ? [here] : [])))
  return here
}

function isInView(range: Range, list: ShownList): boolean {
  const shown = list.scroller()?.getBoundingClientRect()
  const { top, bottom } = range.getBoundingClientRect()
  return (
    shown !== undefined &&
    bottom > top &&
    top >= shown.top + shown.height * 0.08 &&
    bottom <= shown.bottom - 8
  )
}

function bringIntoView(range: Range, list: ShownList): void {
  const scroller = list.scroller()
  if (!scroller) return
  // Code and tables have their own horizontal scrolling.
  range.startContainer.parentElement?.scrollIntoView({ block: "nearest", inline: "nearest" })
  const shown = scroller.getBoundingClientRect()
  scroller.scrollTop += range.getBoundingClientRect().top - shown.top - shown.height * upperPart
}

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
        keys={`⇧ ${t("frame:shortcuts.keys.Enter")}`}
        disabled={total === 0}
        onClick={() => step(-1)}
      >
        <ChevronUp aria-hidden />
      </IconButton>
      <IconButton
        label={t("longChats:find.next")}
        keys={t("frame:shortcuts.keys.Enter")}
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
