export interface ShownTooltip {
  owner: string
  text: string
  keys: string | undefined
  /** What it explains. */
  anchor: Element
}

const delayMs = 400
/** Who has just read one gets the next at once. */
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

/** Shows a hint, after a moment unless it is wanted at once. */
export function showTooltip(tooltip: ShownTooltip, atOnce: boolean): void {
  clearTimeout(timer)
  if (atOnce || shown || performance.now() - hiddenAt < warmMs) change(tooltip)
  else timer = setTimeout(() => change(tooltip), delayMs)
}

/** Takes away a hint of this owner, or whichever there is. */
export function hideTooltip(owner = shown?.owner): void {
  clearTimeout(timer)
  if (shown && shown.owner === owner) change(undefined)
}

/** A hint that is on screen says something else now. */
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
