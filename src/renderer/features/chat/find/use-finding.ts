import { useMemo, useRef, useState } from "react"
import { isShortcut, useWindowKeys } from "../../../lib/keys/shortcut.ts"

export interface Finding {
  /** How often it was called since it was closed; 0: it is closed. */
  called: number
  start: () => void
  end: () => void
}

/** Whether one finds in the conversation; closing gives the focus back to what had it. */
export function useFinding(): Finding {
  const [called, setCalled] = useState(0)
  const before = useRef<Element>(null)
  const finding = useMemo(
    () => ({
      start() {
        before.current ??= document.activeElement
        setCalled((count) => count + 1)
      },
      end() {
        setCalled(0)
        if (before.current instanceof HTMLElement) before.current.focus()
        before.current = null
      },
    }),
    [],
  )
  useWindowKeys((event) => {
    if (!isShortcut("find", event) || document.querySelector("[data-modal]")) return
    // A document beside the chat is found in by the browser.
    if (event.target instanceof Element && event.target.closest("aside")) return
    event.preventDefault()
    finding.start()
  })
  return useMemo(() => ({ called, ...finding }), [called, finding])
}
