import { type ReactNode, useEffect, useRef } from "react"
import { useVirtualRows } from "./scrolling.ts"

interface VirtualListProps<Item> {
  label: string
  items: readonly Item[]
  getId: (item: Item) => string
  /** Height in pixels. */
  getHeight: (item: Item) => number
  /** Classes of the scrolling element, which must set a height or a maximum height. */
  className: string
  /** Index of an item to scroll to; negative for none. */
  visibleIndex?: number
  children: (item: Item) => ReactNode
}

/** A list that renders only the visible items. Screen readers get the total number. */
export function VirtualList<Item>({
  label,
  items,
  getId,
  getHeight,
  className,
  visibleIndex = -1,
  children,
}: VirtualListProps<Item>) {
  const scroller = useRef<HTMLDivElement>(null)
  const estimateSize = (index: number) => {
    const item = items[index]
    return item === undefined ? 0 : getHeight(item)
  }
  const rows = useVirtualRows({ count: items.length, scroller, estimateSize })
  useEffect(() => {
    if (visibleIndex >= 0) rows.scrollToIndex(visibleIndex)
  }, [rows, visibleIndex])
  return (
    <div ref={scroller} className={className}>
      <ul aria-label={label} className="relative" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start, size }) => {
          const item = items[index]
          return (
            item !== undefined && (
              <li
                key={getId(item)}
                aria-setsize={items.length}
                aria-posinset={index + 1}
                className="absolute inset-x-0"
                style={{ top: start, height: size }}
              >
                {children(item)}
              </li>
            )
          )
        })}
      </ul>
    </div>
  )
}
