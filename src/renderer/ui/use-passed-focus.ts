import { useCallback, useLayoutEffect, useRef, type RefObject } from "react"

const sign = "data-waits"

interface PassedFocus {
  /** For the item. */
  item: { ref: RefObject<HTMLLIElement | null>; tabIndex: -1; [sign]: true }
  /** Its buttons were used: it goes once the box has that. */
  leave: () => void
}

/** The pressed button goes with its item: who goes by keys is at the next item then, or at what is under the last one. */
export function usePassedFocus(): PassedFocus {
  const ref = useRef<HTMLLIElement>(null)
  const isLeaving = useRef(false)
  useLayoutEffect(() => {
    const item = ref.current
    return () => {
      if (item && isLeaving.current) passFocusOn(item)
    }
  }, [])
  const leave = useCallback(() => (isLeaving.current = true), [])
  return { item: { ref, tabIndex: -1, [sign]: true }, leave }
}

function passFocusOn(item: HTMLElement): void {
  const room = item.closest<HTMLElement>("[role=dialog], main")
  const items = [...(room?.querySelectorAll<HTMLElement>(`[${sign}]`) ?? [])]
  const place = items.indexOf(item)
  const next = items[place + 1] ?? items[place - 1]
  // React hears of no focus while it draws, and the bell would close.
  queueMicrotask(() => {
    if (document.activeElement !== document.body) return // they went on by themselves
    const stays = next ?? room?.querySelector<HTMLElement>("[data-row]") ?? room
    stays?.focus({ preventScroll: true })
  })
}
