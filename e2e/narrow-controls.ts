/**
 * Runs in the page: the screen's controls that are covered, cut off or out of reach after scrolling to them, rows whose content doesn't fit,
 * and texts that are cut to a few letters. Elements that cover the whole page on purpose (toasts) are ignored.
 */
export const hiddenControls = `(() => {
  const controls = "button, a[href], input:not([type=hidden]), select, textarea, summary, [role=switch], [role=tab]"
  const nameOf = (element) =>
    (element.getAttribute("aria-label") || element.textContent.trim() || element.title || element.outerHTML).slice(0, 80)
  const faults = []
  const root = document.documentElement
  if (root.scrollWidth > root.clientWidth) faults.push("the page is wider than its window")
  const title = document.querySelector("main h1")
  if (title && title.getBoundingClientRect().width < Math.min(80, title.scrollWidth)) faults.push("no room for the title")
  // A dialog covers the page, and so does a document if there is no room next to it.
  const lying = [...document.querySelectorAll("aside")].find((aside) => getComputedStyle(aside).position !== "static")
  const over = document.querySelector("[data-modal]") ?? lying ?? document
  for (const element of over.querySelectorAll(controls)) {
    // A control that its label draws, or that waits for the keyboard, may be very small.
    const shown = element.matches("input") && element.getBoundingClientRect().width <= 1
      ? (element.closest("label") ?? element)
      : element
    if (shown.closest("[aria-hidden=true], .sr-only, [inert]") || shown.matches("[tabindex='-1'], :disabled")) continue
    if (!shown.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue
    shown.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" })
    // Of a link that is broken over lines, the first.
    const box = [...shown.getClientRects()].find(({ width }) => width > 1) ?? shown.getBoundingClientRect()
    if (box.width <= 1 || box.height <= 1) continue
    if (box.left < -1 || box.right > innerWidth + 1) {
      faults.push("cut by the window: " + nameOf(shown))
      continue
    }
    for (const part of [0.15, 0.5, 0.85]) {
      const at = document.elementFromPoint(box.left + box.width * part, box.top + Math.min(box.height / 2, 40))
      if (at?.closest("[data-toasts]")) continue
      if (at && (shown.contains(at) || at.contains(shown) && at.matches("a, button, label, tr, li"))) continue
      faults.push("covered or cut: " + nameOf(shown) + " (by " + (at ? nameOf(at) : "nothing") + ")")
      break
    }
  }
  const isShown = (element) => element.getBoundingClientRect().width > 1 && element.checkVisibility({ visibilityProperty: true })
  // Long file names are cut in the middle, and their end has its own element.
  for (const text of over.querySelectorAll(".truncate:not(.whitespace-pre)"))
    if (isShown(text) && text.scrollWidth > text.clientWidth && text.clientWidth < 64) faults.push("no room for the text: " + nameOf(text))
  for (const row of over.querySelectorAll("li")) {
    const end = row.getBoundingClientRect().right - parseFloat(getComputedStyle(row).paddingRight)
    for (const part of row.children)
      if (isShown(part) && getComputedStyle(part).position === "static" && part.getBoundingClientRect().right > end + 1)
        faults.push("wider than its row: " + nameOf(part))
  }
  return faults
})()`
