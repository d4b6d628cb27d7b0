import { type ReactNode, useEffect, useRef } from "react"
import { useVirtualRows } from "./use-virtual-rows.ts"

interface VirtualListProps<Item> {
  label: string
  items: readonly Item[]
  idOf: (item: Item) => string
  /** Height in pixels. */
  heightOf: (item: Item) => number
  /** Classes of the scrolling element, which must set a height or a maximum height. */
  className: string
  /** Index of an item to scroll to; negative for none. */
  inView?: number
  children: (item: Item) => ReactNode
}

/** A list that renders only the visible items. Screen readers get the total number. */
export function VirtualList<Item>({
  label,
  items,
  idOf,
  heightOf,
  className,
  inView = -1,
  children,
}: VirtualListProps<Item>) {
  const scroller = useRef<HTMLDivElement>(null)
  const estimateSize = (index: number) => {
    const item = items[index]
    return item === undefined ? 0 : heightOf(item)
  }
  const rows = useVirtualRows({ count: items.length, scroller, estimateSize })
  useEffect(() => {
    if (inView >= 0) rows.scrollToIndex(inView)
  }, [rows, inView])
  return (
    <div ref={scroller} className={className}>
      <ul aria-label={label} className="relative" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start, size }) => {
          const item = items[index]
          return (
            item !== undefined && (
              <li
                key={idOf(item)}
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
