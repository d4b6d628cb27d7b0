import { type RefObject, useEffect, useRef } from "react"

/** So long what the user did in the page counts as an intent (`userActivation`), which is then no sign of one in a frame. */
const activationMs = 5000
/** So often a frame may take the keyboard unasked; a game that wants it when it starts does so once or twice. */
const mostTaken = 3

/**
 * Gives the keyboard back when a frame takes it though the user went there neither with a click nor with Tab, so that what
 * is typed in the page doesn't end up in the frame. A frame that goes on is told of by `onTakenAgain`. The returned function
 * takes the keyboard from the frame.
 */
export function useKeyboardGuard(
  frame: RefObject<HTMLIFrameElement | null>,
  onTakenAgain: () => void,
): () => void {
  const takenAgain = useRef(onTakenAgain)
  const inPage = useRef<Element | null>(null)
  useEffect(() => {
    takenAgain.current = onTakenAgain
  })

  useEffect(() => {
    const watch = new AbortController()
    const { signal } = watch
    // What the page saw the user do last; what happens in a frame it doesn't see.
    let goesIn = false
    let usedAt = performance.now()
    let pointsAt = false
    let taken = 0
    inPage.current = document.activeElement

    const isClicked = () =>
      navigator.userActivation.isActive && (pointsAt || performance.now() - usedAt > activationMs)

    function onBlur(): void {
      if (frame.current === null || document.activeElement !== frame.current || goesIn || isClicked()) return
      setTimeout(() => giveBack(frame.current, inPage.current)) // while the browser moves the focus it can't be moved back
      if (++taken >= mostTaken) takenAgain.current()
    }

    function onUse(event: Event): void {
      goesIn = event instanceof KeyboardEvent && event.key === "Tab"
      pointsAt = false
      usedAt = performance.now()
    }

    function onFocusIn({ target }: FocusEvent): void {
      if (!(target instanceof Element) || target === frame.current) return
      inPage.current = target
      goesIn = false
    }

    window.addEventListener("blur", onBlur, { signal })
    window.addEventListener("focusin", onFocusIn, { signal })
    for (const use of ["keydown", "pointerdown"])
      window.addEventListener(use, onUse, { signal, capture: true })
    frame.current?.addEventListener("pointerenter", () => (pointsAt = true), { signal })
    frame.current?.addEventListener("pointerleave", () => (pointsAt = false), { signal })
    return () => watch.abort()
  }, [frame])

  return () => giveBack(frame.current, inPage.current)
}

function giveBack(frame: HTMLIFrameElement | null, to: Element | null): void {
  window.focus()
  if (to instanceof HTMLElement) to.focus({ preventScroll: true })
  else frame?.blur()
}
