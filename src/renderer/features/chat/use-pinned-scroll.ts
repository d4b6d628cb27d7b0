import { useCallback, useEffect, useRef, useState, type RefObject } from "react"

const nearEndPx = 24
const upwards = new Set(["ArrowUp", "PageUp", "Home"])

interface PinnedScroll {
  scroller: RefObject<HTMLDivElement | null>
  content: RefObject<HTMLDivElement | null>
  /** Whether the end is followed; false once the reader has scrolled away. */
  pinned: boolean
  toEnd: () => void
  /** Lets go of the end, to show something else. */
  release: () => void
}

/** Keeps the end of growing content in view until the reader scrolls up, and again once they are back there. */
export function usePinnedScroll(): PinnedScroll {
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const following = useRef(true)
  const [pinned, setPinned] = useState(true)

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
    const canScroll = () => element.scrollHeight > element.clientHeight
    const onScroll = () => {
      const atEnd = element.scrollHeight - element.scrollTop - element.clientHeight < nearEndPx
      // Only a move upwards is the reader's; content that grows moves the end away, not the position.
      const movedUp = element.scrollTop < lastTop
      lastTop = element.scrollTop
      if (atEnd && !movedUp) follow(true)
      else if (movedUp && !atEnd) follow(false)
    }
    // A move of the wheel is animated: waiting for its first steps would fight them.
    const onWheel = (event: WheelEvent) => {
      if (event.deltaY < 0 && canScroll()) follow(false)
    }
    const onKey = (event: KeyboardEvent) => {
      if (upwards.has(event.key) && canScroll()) follow(false)
    }
    const observer = new ResizeObserver(() => {
      if (following.current) element.scrollTo({ top: element.scrollHeight })
    })
    observer.observe(inner)
    observer.observe(element)
    element.addEventListener("scroll", onScroll, { passive: true })
    element.addEventListener("wheel", onWheel, { passive: true })
    element.addEventListener("keydown", onKey)
    return () => {
      observer.disconnect()
      element.removeEventListener("scroll", onScroll)
      element.removeEventListener("wheel", onWheel)
      element.removeEventListener("keydown", onKey)
    }
  }, [follow])

  return { scroller, content, pinned, toEnd, release }
}
