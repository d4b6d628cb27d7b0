import { type RefObject, useEffect, useRef } from "react"

/**
 * How long the browser treats an action in the page as user activation. During this time, `userActivation` doesn't prove an action inside a
 * frame.
 */
const activationMs = 5000
/** How often a frame may take the focus unasked. A game may do so once or twice when it starts. */
const maxTaken = 3

/**
 * Takes the focus back when a frame grabs it without a click or Tab by the user, so that typing doesn't end up in the frame. Calls
 * `onFocusTakenRepeatedly` if a frame keeps doing this. The returned function takes the focus away from the frame.
 */
export function useKeyboardGuard(
  frame: RefObject<HTMLIFrameElement | null>,
  onFocusTakenRepeatedly: () => void,
): () => void {
  const latestCallback = useRef(onFocusTakenRepeatedly)
  const pageFocus = useRef<Element | null>(null)
  useEffect(() => {
    latestCallback.current = onFocusTakenRepeatedly
  })

  useEffect(() => {
    const watch = new AbortController()
    const { signal } = watch
    // The user's last action that the page saw. The page doesn't see actions inside a frame.
    let goesIn = false
    let usedAt = performance.now()
    let pointsAt = false
    let taken = 0
    pageFocus.current = document.activeElement

    const isClicked = () =>
      navigator.userActivation.isActive && (pointsAt || performance.now() - usedAt > activationMs)

    function onBlur(): void {
      if (frame.current === null || document.activeElement !== frame.current || goesIn || isClicked()) return
      setTimeout(() => restoreFocus(frame.current, pageFocus.current)) // the focus can't be moved back while the browser is moving it
      if (++taken >= maxTaken) latestCallback.current()
    }

    function onUse(event: Event): void {
      goesIn = event instanceof KeyboardEvent && event.key === "Tab"
      pointsAt = false
      usedAt = performance.now()
    }

    function onFocusIn({ target }: FocusEvent): void {
      if (!(target instanceof Element) || target === frame.current) return
      pageFocus.current = target
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

  return () => restoreFocus(frame.current, pageFocus.current)
}

function restoreFocus(frame: HTMLIFrameElement | null, to: Element | null): void {
  window.focus()
  if (to instanceof HTMLElement) to.focus({ preventScroll: true })
  else frame?.blur()
}
