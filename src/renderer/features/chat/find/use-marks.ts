import { useEffect, useEffectEvent } from "react"
import type { ShownList } from "../shown-list.ts"
import type { TextMatch } from "./find-matches.ts"
import "./find.css"

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
export function useMarks(list: ShownList, pattern: RegExp | undefined, place: TextMatch | undefined): void {
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
    const letGo = () => cancelAnimationFrame(frame)
    const scroller = list.scroller()
    scroller?.addEventListener("wheel", letGo, { passive: true })
    scroller?.addEventListener("pointerdown", letGo, { passive: true })
    return () => {
      letGo()
      scroller?.removeEventListener("wheel", letGo)
      scroller?.removeEventListener("pointerdown", letGo)
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
