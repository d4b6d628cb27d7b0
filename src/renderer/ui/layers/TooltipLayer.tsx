import { useEffect, useSyncExternalStore } from "react"
import { hideTooltip, tooltipStore } from "./tooltip-store.ts"

const gap = 6
const margin = 8

/** Renders the tooltip. Only one is shown at a time. */
export function TooltipLayer() {
  const shown = useSyncExternalStore(tooltipStore.subscribe, tooltipStore.get)

  useEffect(() => {
    if (!shown) return undefined
    const onKeyDown = ({ key }: KeyboardEvent) => key === "Escape" && hideTooltip()
    const hide = () => hideTooltip()
    window.addEventListener("keydown", onKeyDown)
    window.addEventListener("scroll", hide, true)
    return () => {
      window.removeEventListener("keydown", onKeyDown)
      window.removeEventListener("scroll", hide, true)
    }
  }, [shown])

  if (!shown) return null
  const { anchor, text, keys } = shown
  return (
    <div
      key={shown.owner}
      aria-hidden
      ref={(element) => {
        if (element) place(element, anchor.getBoundingClientRect())
      }}
      className="pointer-events-none fixed top-0 left-0 z-50 flex max-w-72 animate-appear items-center gap-2 rounded-md bg-raised px-2 py-1 text-xs text-ink shadow-float"
    >
      {text}
      {keys !== undefined && <kbd className="font-sans text-faint">{keys}</kbd>}
    </div>
  )
}

/** Places it below the element it explains, or above if there is no room, always inside the window. */
function place(element: HTMLElement, anchor: DOMRect): void {
  const { offsetWidth: width, offsetHeight: height } = element
  const below = anchor.bottom + gap
  const top = below + height + margin <= window.innerHeight ? below : anchor.top - gap - height
  const centred = anchor.left + anchor.width / 2 - width / 2
  const left = Math.max(margin, Math.min(centred, window.innerWidth - width - margin))
  element.style.top = `${top}px`
  element.style.left = `${left}px`
}
