import { useState, type FocusEvent, type KeyboardEvent } from "react"

interface RowKeysOptions {
  count: number
  /** Number of rows visible at once. */
  pageRows: () => number
  scrollTo: (index: number) => void
  /** Actions of keys pressed on the row itself, not on a button in it. */
  onKey: Record<string, (index: number, event: KeyboardEvent) => void>
}

/** Moves through the rows of a virtual table by keyboard. The focused row may have to be rendered first. */
export function useRowKeys({ count, pageRows, scrollTo, onKey }: RowKeysOptions) {
  const [at, setAt] = useState({ index: 0, moved: false })

  const steps: Record<string, (from: number) => number> = {
    ArrowDown: (from) => from + 1,
    ArrowUp: (from) => from - 1,
    PageDown: (from) => from + pageRows(),
    PageUp: (from) => from - pageRows(),
    Home: () => 0,
    End: () => count - 1,
  }

  return {
    /** The row that has the keyboard focus, and whether a key has just moved it there. */
    at,
    onKeyDown(event: KeyboardEvent): void {
      const row = getRow(event.target)
      if (!row || event.ctrlKey || event.metaKey || event.altKey) return
      const step = steps[event.key]
      const act = event.target === row ? onKey[event.key] : undefined
      if (!step && !act) return
      event.preventDefault()
      const from = Number(row.dataset["index"])
      act?.(from, event)
      if (!step) return
      const index = Math.max(0, Math.min(count - 1, step(from)))
      scrollTo(index)
      setAt({ index, moved: true })
    },
    onFocus({ target }: FocusEvent): void {
      const index = Number(getRow(target)?.dataset["index"] ?? at.index)
      if (index !== at.index) setAt({ index, moved: false })
    },
  }
}

const getRow = (target: EventTarget): HTMLElement | null =>
  target instanceof HTMLElement ? target.closest<HTMLElement>("tr[data-index]") : null
