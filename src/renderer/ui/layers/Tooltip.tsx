import {
  useEffect,
  useId,
  type FocusEvent,
  type PointerEvent,
  type ReactNode,
  useSyncExternalStore,
} from "react"

interface ShownTooltip {
  owner: string
  text: string
  keys: string | undefined
  /** The element that it explains. */
  anchor: Element
}

const delayMs = 400
/** If a tooltip was shown this recently, the next one appears immediately. */
const warmMs = 300

let shown: ShownTooltip | undefined
let timer: ReturnType<typeof setTimeout> | undefined
let hiddenAt = -warmMs
const listeners = new Set<() => void>()

function change(next: ShownTooltip | undefined): void {
  if (shown && !next) hiddenAt = performance.now()
  shown = next
  for (const listener of listeners) listener()
}

/** Shows a tooltip after a short delay, or immediately if `isImmediate` is set. */
function showTooltip(tooltip: ShownTooltip, isImmediate: boolean): void {
  clearTimeout(timer)
  if (isImmediate || shown || performance.now() - hiddenAt < warmMs) change(tooltip)
  else timer = setTimeout(() => change(tooltip), delayMs)
}

/** Hides this owner's tooltip, or whichever is shown. */
function hideTooltip(owner = shown?.owner): void {
  clearTimeout(timer)
  if (shown && shown.owner === owner) change(undefined)
}

/** Changes the text of a visible tooltip. */
function rewordTooltip(owner: string, text: string): void {
  if (shown?.owner === owner && shown.text !== text) change({ ...shown, text })
}

const tooltipStore = {
  subscribe(listener: () => void) {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
  get: () => shown,
}

interface TooltipProps {
  text: string
  /** The equivalent keyboard shortcut. */
  keys?: string
  children: ReactNode
}

/** A short hint on hover and on keyboard focus. It repeats the control's name, so nothing depends on it. */
export function Tooltip({ text, keys, children }: TooltipProps) {
  const owner = useId()
  useEffect(() => rewordTooltip(owner, text), [owner, text])
  useEffect(() => () => hideTooltip(owner), [owner])

  function show(event: PointerEvent | FocusEvent, isImmediate: boolean) {
    const anchor = event.currentTarget.firstElementChild
    if (anchor) showTooltip({ owner, text, keys, anchor }, isImmediate)
  }
  const hide = () => hideTooltip(owner)

  return (
    <span
      className="contents"
      onPointerEnter={(event) => event.pointerType !== "touch" && show(event, false)}
      onPointerLeave={hide}
      onPointerDown={hide}
      onFocus={(event) => event.target.matches(":focus-visible") && show(event, true)}
      onBlur={hide}
    >
      {children}
    </span>
  )
}

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
