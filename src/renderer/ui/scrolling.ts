import { defaultRangeExtractor, useVirtualizer, type Range } from "@tanstack/react-virtual"
import { type RefObject, useCallback, useEffect, useRef, useState } from "react"

interface VirtualRowsOptions {
  count: number
  scroller: RefObject<HTMLElement | null>
  /** Estimated height of a row in pixels, before it is rendered. */
  estimateSize: (index: number) => number
  /**
   * Key of a row that stays the same when rows are inserted or removed before it. Pass the same function until the rows change. The default
   * is the index.
   */
  getItemKey?: (index: number) => string
  /** Height of the content above the rows in their scroller, in pixels. Positions are measured from its top edge. */
  scrollMargin?: number
  /** Index of the row that stays visible above this one, such as column names. */
  stickyOver?: (index: number) => number | undefined
}

/**
 * Renders only the visible rows of a long list. If the scroller itself has the focus, the End key leads to the last row: the browser would
 * scroll to where the end was before the rows on the way were rendered.
 */
export function useVirtualRows({ scroller, stickyOver, ...rows }: VirtualRowsOptions) {
  // oxlint-disable-next-line react/incompatible-library -- warns of the React Compiler, which isn't used
  const virtualizer = useVirtualizer({
    ...rows,
    getScrollElement: () => scroller.current,
    overscan: 6,
    ...(stickyOver && { rangeExtractor: (range) => includeSticky(range, stickyOver(range.startIndex)) }),
  })
  const { count } = rows
  useEffect(() => {
    const element = scroller.current
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "End" || event.target !== element) return
      event.preventDefault()
      virtualizer.scrollToIndex(count - 1, { align: "end" })
    }
    element?.addEventListener("keydown", onKey)
    return () => element?.removeEventListener("keydown", onKey)
  }, [scroller, virtualizer, count])
  return virtualizer
}

function includeSticky(range: Range, sticky: number | undefined): number[] {
  const drawn = defaultRangeExtractor(range)
  return sticky === undefined || drawn.includes(sticky) ? drawn : [sticky, ...drawn]
}

const nearEndPx = 24
const upwards = new Set(["ArrowUp", "PageUp", "Home"])
/** A touch that scrolls cancels its pointer events, so touch events are watched instead. */
const presses = ["pointerdown", "touchstart"] as const
const releases = ["pointerup", "touchend", "touchcancel"] as const

interface PinnedScroll<Scroller, Content> {
  scroller: RefObject<Scroller | null>
  content: RefObject<Content | null>
  /** Whether the view follows the end; false after the reader has scrolled away. */
  pinned: boolean
  toEnd: () => void
  /** Stops following the end, to show something else. */
  release: () => void
}

/** Keeps the end of growing content in view until the reader scrolls up, and again when they return to the end. */
export function usePinnedScroll<
  Scroller extends HTMLElement = HTMLDivElement,
  Content extends HTMLElement = HTMLDivElement,
>(isInitiallyPinned = true): PinnedScroll<Scroller, Content> {
  const scroller = useRef<Scroller>(null)
  const content = useRef<Content>(null)
  const following = useRef(isInitiallyPinned)
  const [pinned, setPinned] = useState(isInitiallyPinned)

  const follow = useCallback((follows: boolean) => {
    following.current = follows
    setPinned(follows)
  }, [])
  const toEnd = useCallback(() => {
    follow(true)
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight })
  }, [follow])
  const release = useCallback(() => follow(false), [follow])

  useEffect(() => {
    const element = scroller.current
    const inner = content.current
    if (!element || !inner) return undefined
    let lastTop = element.scrollTop
    /** The position set by this hook. Its scroll event arrives later, perhaps after the reader has started to scroll up. */
    let ownScrollTop: number | undefined
    /** Whether the reader is holding the scrollbar, text or the screen. */
    let held = false
    const onHold = () => {
      held = true
    }
    const onLetGo = () => {
      held = false
    }
    const canScroll = () => element.scrollHeight > element.clientHeight
    const onScroll = () => {
      const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < nearEndPx
      // Measuring content again also moves the position. Only the reader's own scrolling stops following the end.
      const movedUp = element.scrollTop < lastTop
      const own = element.scrollTop === ownScrollTop
      ownScrollTop = undefined
      lastTop = element.scrollTop
      if (own) return
      if (isAtEnd && !movedUp) follow(true)
      else if (movedUp && !isAtEnd && held) follow(false)
    }
    // Wheel scrolling is animated. Waiting for its first steps would work against it.
    const onWheel = (event: WheelEvent) => {
      if (event.deltaY < 0 && canScroll()) follow(false)
    }
    const onKey = (event: KeyboardEvent) => {
      if (upwards.has(event.key) && canScroll()) follow(false)
    }
    const observer = new ResizeObserver(() => {
      if (!following.current) return
      element.scrollTo({ top: element.scrollHeight })
      ownScrollTop = element.scrollTop
    })
    observer.observe(inner)
    observer.observe(element)
    element.addEventListener("scroll", onScroll, { passive: true })
    element.addEventListener("wheel", onWheel, { passive: true })
    element.addEventListener("keydown", onKey)
    for (const press of presses) element.addEventListener(press, onHold, { passive: true })
    for (const release of releases) window.addEventListener(release, onLetGo)
    return () => {
      observer.disconnect()
      element.removeEventListener("scroll", onScroll)
      element.removeEventListener("wheel", onWheel)
      element.removeEventListener("keydown", onKey)
      for (const press of presses) element.removeEventListener(press, onHold)
      for (const release of releases) window.removeEventListener(release, onLetGo)
    }
  }, [follow])

  return { scroller, content, pinned, toEnd, release }
}
