import { useCallback, useEffect, useRef, useState, type RefObject } from "react"

const nearEndPx = 48

interface PinnedScroll {
  scroller: RefObject<HTMLDivElement | null>
  content: RefObject<HTMLDivElement | null>
  /** Whether the end is followed; false once the reader has scrolled away. */
  pinned: boolean
  toEnd: () => void
}

/** Keeps the end of growing content in view until the reader scrolls up, and again once they are back there. */
export function usePinnedScroll(): PinnedScroll {
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const following = useRef(true)
  const [pinned, setPinned] = useState(true)

  const toEnd = useCallback(() => {
    following.current = true
    setPinned(true)
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight })
  }, [])

  useEffect(() => {
    const element = scroller.current
    const inner = content.current
    if (!element || !inner) return undefined
    let lastTop = element.scrollTop
    const onScroll = () => {
      const atEnd = element.scrollHeight - element.scrollTop - element.clientHeight < nearEndPx
      // Only a move upwards is the reader's; content that grows moves the end away, not the position.
      const follows = atEnd || (following.current && element.scrollTop >= lastTop)
      lastTop = element.scrollTop
      following.current = follows
      setPinned(follows)
    }
    const observer = new ResizeObserver(() => {
      if (following.current) element.scrollTo({ top: element.scrollHeight })
    })
    observer.observe(inner)
    observer.observe(element)
    element.addEventListener("scroll", onScroll, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener("scroll", onScroll)
    }
  }, [])

  return { scroller, content, pinned, toEnd }
}
