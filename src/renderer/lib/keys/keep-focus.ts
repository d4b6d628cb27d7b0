const lists = "li, tr, ul, ol, tbody, table, form, fieldset"
const surroundings = "[tabindex='0'], main, nav, aside, [role=dialog]"
/** Controls that don't accept text, so that keys pressed after the focus moves there don't type anything. */
const controls =
  "button:not(:disabled), a[href], input[type=checkbox], input[type=radio], [tabindex='0']:not(input, textarea)"
const remembered = 8
/** An element removed this soon after a scroll was removed because of the scroll. */
const scrollMs = 200

/** The position that an element had when it was removed from the page. */
interface Gap {
  parent: Element
  siblings: (Node | null)[]
  scrolled: boolean
}

/**
 * Keeps the focus nearby when the focused element is removed; browsers would move it to the whole page. After a deletion, the row next to
 * it gets the focus; after a toast, the previously focused element; otherwise the surrounding part of the page. Elements in
 * `[data-own-focus]` handle this themselves.
 */
export function keepFocus(): void {
  /** Previously focused elements, newest last. */
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
      const { target: parent, nextSibling, previousSibling } = record
      const scrolled = performance.now() - scrolledAt < scrollMs
      gaps.set(element, { parent, siblings: [nextSibling, previousSibling], scrolled })
    }
  }

  function findFocusTarget(): HTMLElement | undefined {
    for (const element of path.toReversed()) {
      if (isShown(element)) return element
      const gap = gaps.get(element)
      if (gap?.parent.closest("[data-own-focus]")) return undefined
      const found = gap && ((gap.scrolled ? undefined : findInList(gap)) ?? around(gap.parent))
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
  // If the user leaves an element that stays in the page and focuses nothing else, the focus isn't restored. An element being removed is
  // still in the page at this moment.
  document.addEventListener("focusout", ({ target, relatedTarget }) => {
    if (relatedTarget !== null || !document.hasFocus() || !(target instanceof HTMLElement)) return
    queueMicrotask(() => {
      if (isShown(target) && !target.matches(":disabled")) path.length = 0
    })
  })
  new MutationObserver((records) => {
    note(records)
    if (!isFocusLost() || (path.at(-1)?.isConnected ?? true)) return
    // The content rendered in its place, or code that closes a dialog, may set the focus itself.
    requestAnimationFrame(() => {
      if (isFocusLost()) findFocusTarget()?.focus({ preventScroll: true })
    })
  }).observe(document.body, { childList: true, subtree: true })
}

/** Moves the focus into the page's main part, unless it is already there. */
export function focusScreen(): void {
  const main = document.querySelector("main")
  if (!main?.contains(document.activeElement)) around(main)?.focus({ preventScroll: true })
}

const isFocusLost = (): boolean => document.activeElement === null || document.activeElement === document.body

/** Returns a control in the row next to the removed one, or in the rest of its list. */
function findInList({ parent, siblings }: Gap): HTMLElement | undefined {
  for (const near of [...siblings, parent.closest("li, tr"), parent.closest(lists)]) {
    if (!(near instanceof HTMLElement) || !near.closest(lists)) continue
    const control = [near, ...near.querySelectorAll<HTMLElement>(controls)].find(
      (element) => element.matches(controls) && isShown(element),
    )
    if (control) return control
  }
  return undefined
}

/** Returns the part of the page around an element; undefined for layers above the page, and for toasts anywhere. */
function around(parent: Element | null): HTMLElement | undefined {
  const part = parent?.closest("[data-toasts]") ? undefined : parent?.closest<HTMLElement>(surroundings)
  if (!part || !isShown(part)) return undefined
  if (!part.hasAttribute("tabindex")) part.tabIndex = -1
  return part
}

const isShown = (element: HTMLElement): boolean => element.isConnected && element.getClientRects().length > 0
