import { useMemo, useRef, useState } from "react"
import { isShortcut, useWindowKeys } from "../../../lib/keys/shortcut.ts"

export interface Finding {
  /** How often find was started since it was last closed; 0 if it is closed. */
  called: number
  start: () => void
  end: () => void
}

/** Whether find is open in the chat. Closing it returns the focus to the previous element. */
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
    // In a document next to the chat, the browser's own search is used.
    if (event.target instanceof Element && event.target.closest("aside")) return
    event.preventDefault()
    finding.start()
  })
  return useMemo(() => ({ called, ...finding }), [called, finding])
}
