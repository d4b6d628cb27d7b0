const lists = "li, tr, ul, ol, tbody, table, form, fieldset"
const surroundings = "[tabindex='0'], main, nav, aside, [role=dialog]"
/** What takes keys without taking letters: those that follow aren't meant for a text. */
const controls =
  "button:not(:disabled), a[href], input[type=checkbox], input[type=radio], [tabindex='0']:not(input, textarea)"
const remembered = 8
/** What goes so soon after a scroll went because of it. */
const scrollMs = 200

/** Where something stood when it was taken out of the page. */
interface Gap {
  place: Element
  siblings: (Node | null)[]
  scrolled: boolean
}

/**
 * Keeps the keyboard's place when what has the focus goes away, which browsers then give to the page as a whole: after
 * a deletion the row next to it has the focus, after a toast what had it before, otherwise the part of the page around
 * it. What is in `[data-own-focus]` looks after that itself.
 */
export function keepFocus(): void {
  /** What had the focus, the newest last. */
  const path: HTMLElement[] = []
  const gaps = new WeakMap<HTMLElement, Gap>()
  let scrolledAt = -scrollMs

  function note(records: MutationRecord[]): void {
    for (const element of path) {
      if (element.isConnected || gaps.has(element)) continue
      const record = records.find(({ removedNodes }) =>
        [...removedNodes].some((node) => node.contains(element)),
      )
      if (!(record?.target instanceof Element)) continue
      const { target: place, nextSibling, previousSibling } = record
      const scrolled = performance.now() - scrolledAt < scrollMs
      gaps.set(element, { place, siblings: [nextSibling, previousSibling], scrolled })
    }
  }

  function heir(): HTMLElement | undefined {
    for (const element of path.toReversed()) {
      if (isShown(element)) return element
      const gap = gaps.get(element)
      if (gap?.place.closest("[data-own-focus]")) return undefined
      const found = gap && ((gap.scrolled ? undefined : inList(gap)) ?? around(gap.place))
      if (found) return found
    }
    return around(document.querySelector("main"))
  }

  document.addEventListener("scroll", () => (scrolledAt = performance.now()), {
    capture: true,
    passive: true,
  })
  document.addEventListener("focusin", ({ target }) => {
    if (!(target instanceof HTMLElement) || target === path.at(-1)) return
    path.push(target)
    if (path.length > remembered) path.shift()
  })
  // Who leaves something that stays, for nothing else, doesn't want it back. What is being removed is still there now.
  document.addEventListener("focusout", ({ target, relatedTarget }) => {
    if (relatedTarget !== null || !document.hasFocus() || !(target instanceof HTMLElement)) return
    queueMicrotask(() => {
      if (isShown(target) && !target.matches(":disabled")) path.length = 0
    })
  })
  new MutationObserver((records) => {
    note(records)
    if (!isNowhere() || (path.at(-1)?.isConnected ?? true)) return
    // What is drawn in its place, or closes a dialog, may give the focus to something itself.
    requestAnimationFrame(() => {
      if (isNowhere()) heir()?.focus({ preventScroll: true })
    })
  }).observe(document.body, { childList: true, subtree: true })
}

/** Gives the keyboard to the screen, from outside of it; what the screen itself gives the focus to keeps it. */
export function focusScreen(): void {
  const main = document.querySelector("main")
  if (!main?.contains(document.activeElement)) around(main)?.focus({ preventScroll: true })
}

const isNowhere = (): boolean => document.activeElement === null || document.activeElement === document.body

/** In the row next to the one that went, or in what is left of the list around it. */
function inList({ place, siblings }: Gap): HTMLElement | undefined {
  for (const near of [...siblings, place.closest("li, tr"), place.closest(lists)]) {
    if (!(near instanceof HTMLElement) || !near.closest(lists)) continue
    const control = [near, ...near.querySelectorAll<HTMLElement>(controls)].find(
      (element) => element.matches(controls) && isShown(element),
    )
    if (control) return control
  }
  return undefined
}

/** The part of the page that something is in; undefined for what lies over the page, and for toasts wherever they stand. */
function around(place: Element | null): HTMLElement | undefined {
  const part = place?.closest("[data-toasts]") ? undefined : place?.closest<HTMLElement>(surroundings)
  if (!part || !isShown(part)) return undefined
  if (!part.hasAttribute("tabindex")) part.tabIndex = -1
  return part
}

const isShown = (element: HTMLElement): boolean => element.isConnected && element.getClientRects().length > 0
