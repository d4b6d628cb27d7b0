/**
 * Where widgets run: interactive HTML that a model wrote, perhaps as a page or a document told it to. The box serves one
 * constant document at this path, the page shows it in `<iframe sandbox="allow-scripts">` and posts the widget's HTML
 * into it. A `srcdoc` frame wouldn't do: it inherits the page's own policy, which runs no inline scripts.
 */
export const widgetPath = "/widget"

/** What the frame says when it takes HTML; the page then posts `{ html }` to it. */
export const widgetReady = "casella-widget-ready"

/** Characters of one widget. */
export const longestWidget = 200_000

/**
 * The frame's policy, which whatever is written into it keeps: an origin of its own, scripts and styles of its own, and no
 * address of any kind. The page's policy (`frame-src`) keeps it from leaving for another address.
 */
export const widgetPolicy = [
  "sandbox allow-scripts",
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  "img-src data: blob:",
  "font-src data:",
  "media-src data: blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  "require-trusted-types-for 'script'",
  "trusted-types default",
].join("; ")

/**
 * Takes one widget from the page and becomes it. CSP doesn't cover connections between browsers, so what makes them is
 * removed first; and because a frame in the frame would have it again, frames are kept out of all HTML: Trusted Types let
 * no string become HTML without being asked. The scanner calls no method that the widget could have replaced.
 */
export const widgetDocument = `<!doctype html><meta charset="utf-8"><script>{
const removed = /RTC|WebTransport|XSLTProcessor/
for (const name of Object.getOwnPropertyNames(window)) if (removed.test(name)) {
  Object.defineProperty(window, name, { value: undefined, writable: false, configurable: false })
}
const frames = ["iframe", "frame", "object", "embed", "fencedframe", "portal"]
const upper = ["IFRAME", "FRAME", "OBJECT", "EMBED", "FENCEDFRAME", "PORTAL"]
const isFrame = (text, at) => {
  for (let n = 0; n < 6; n++) {
    let length = 0
    while (length < frames[n].length && (text[at + length] === frames[n][length] || text[at + length] === upper[n][length])) length++
    if (length === frames[n].length) return true
  }
  return false
}
const opensFrame = (text, start) => {
  for (let at = start; at < text.length; at++) {
    if ((at === start || text[at - 1] === ":") && isFrame(text, at)) return true
    if (text[at] === "<" || text[at] === ">" || text[at] === "/" || text[at] <= " ") return false
  }
  return false
}
const withoutFrames = (text) => {
  let safe = ""
  for (let at = 0; at < text.length; at++) safe += text[at] === "<" && opensFrame(text, at + 1) ? "&lt;" : text[at]
  return safe
}
let html = null
window.trustedTypes?.createPolicy("default", {
  createHTML(text, type, sink) {
    switch (sink) {
      case "Element innerHTML": case "Element outerHTML": case "Element insertAdjacentHTML": case "ShadowRoot innerHTML":
      case "Range createContextualFragment": case "DOMParser parseFromString": case "Document parseHTMLUnsafe":
      case "Element setHTMLUnsafe": case "ShadowRoot setHTMLUnsafe":
        return withoutFrames(text)
    }
    if (html === null || text !== html) return ""
    html = null
    return withoutFrames(text)
  },
  createScript: (text) => text,
})
addEventListener("message", function take({ source, data }) {
  if (source !== parent || typeof data?.html !== "string") return
  removeEventListener("message", take)
  html = data.html
  document.open()
  document.write(html)
  document.close()
})
parent.postMessage(${JSON.stringify(widgetReady)}, "*")
}</script>`
