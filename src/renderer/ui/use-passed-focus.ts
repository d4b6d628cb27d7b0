import { useCallback, useLayoutEffect, useRef, type RefObject } from "react"

const sign = "data-waits"

interface PassedFocus {
  /** Props for the item. */
  item: { ref: RefObject<HTMLLIElement | null>; tabIndex: -1; [sign]: true }
  /** Call it when one of the item's buttons was used. The item disappears when the box has processed this. */
  leave: () => void
}

/** A pressed button disappears with its item. The focus then moves to the next item, or to the content below the last one. */
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
  const position = items.indexOf(item)
  const next = items[position + 1] ?? items[position - 1]
  // React misses focus events while it renders, and the bell would close.
  queueMicrotask(() => {
    if (document.activeElement !== document.body) return // the user has already moved the focus
    const stays = next ?? room?.querySelector<HTMLElement>("[data-row]") ?? room
    stays?.focus({ preventScroll: true })
  })
}
