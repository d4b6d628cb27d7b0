import { defaultRangeExtractor, useVirtualizer, type Range } from "@tanstack/react-virtual"
import type { RefObject } from "react"

interface VirtualRowsOptions {
  count: number
  scroller: RefObject<HTMLElement | null>
  /** Height of a row in pixels, as good as it can be known before the row is drawn. */
  estimateSize: (index: number) => number
  /** What a row is known by when others come or go before it: the same function until the rows change. Otherwise its index. */
  getItemKey?: (index: number) => string
  /** What stands over the rows in their scroller, in pixels: places are counted from its upper edge. */
  scrollMargin?: number
  /** The row that is drawn above this one wherever it has got to, as the names of columns are. */
  stickyOver?: (index: number) => number | undefined
}

/** Draws only the rows of a long list that are on screen. */
export function useVirtualRows({ scroller, stickyOver, ...rows }: VirtualRowsOptions) {
  // oxlint-disable-next-line react/incompatible-library -- warns of the React Compiler, which isn't used
  return useVirtualizer({
    ...rows,
    getScrollElement: () => scroller.current,
    overscan: 6,
    ...(stickyOver && { rangeExtractor: (range) => withSticky(range, stickyOver(range.startIndex)) }),
  })
}

function withSticky(range: Range, sticky: number | undefined): number[] {
  const drawn = defaultRangeExtractor(range)
  return sticky === undefined || drawn.includes(sticky) ? drawn : [sticky, ...drawn]
}
