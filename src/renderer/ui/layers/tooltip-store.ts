export interface ShownTooltip {
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
export function showTooltip(tooltip: ShownTooltip, isImmediate: boolean): void {
  clearTimeout(timer)
  if (isImmediate || shown || performance.now() - hiddenAt < warmMs) change(tooltip)
  else timer = setTimeout(() => change(tooltip), delayMs)
}

/** Hides this owner's tooltip, or whichever is shown. */
export function hideTooltip(owner = shown?.owner): void {
  clearTimeout(timer)
  if (shown && shown.owner === owner) change(undefined)
}

/** Changes the text of a visible tooltip. */
export function rewordTooltip(owner: string, text: string): void {
  if (shown?.owner === owner && shown.text !== text) change({ ...shown, text })
}

export const tooltipStore = {
  subscribe(listener: () => void) {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
  get: () => shown,
}
