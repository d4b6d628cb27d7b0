import { defaultRangeExtractor, useVirtualizer, type Range } from "@tanstack/react-virtual"
import type { RefObject } from "react"

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

/** Renders only the visible rows of a long list. */
export function useVirtualRows({ scroller, stickyOver, ...rows }: VirtualRowsOptions) {
  // oxlint-disable-next-line react/incompatible-library -- warns of the React Compiler, which isn't used
  return useVirtualizer({
    ...rows,
    getScrollElement: () => scroller.current,
    overscan: 6,
    ...(stickyOver && { rangeExtractor: (range) => includeSticky(range, stickyOver(range.startIndex)) }),
  })
}

function includeSticky(range: Range, sticky: number | undefined): number[] {
  const drawn = defaultRangeExtractor(range)
  return sticky === undefined || drawn.includes(sticky) ? drawn : [sticky, ...drawn]
}
