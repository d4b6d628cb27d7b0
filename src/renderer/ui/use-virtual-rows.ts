import { useVirtualizer } from "@tanstack/react-virtual"
import type { RefObject } from "react"

interface VirtualRowsOptions {
  count: number
  scroller: RefObject<HTMLElement | null>
  /** Height of a row in pixels, as good as it can be known before the row is drawn. */
  estimateSize: (index: number) => number
}

/** Draws only the rows of a long list that are on screen. */
export function useVirtualRows({ count, scroller, estimateSize }: VirtualRowsOptions) {
  // oxlint-disable-next-line react/incompatible-library -- warns of the React Compiler, which isn't used
  return useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize,
    overscan: 10,
  })
}
