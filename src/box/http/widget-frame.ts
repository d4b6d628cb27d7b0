import { widgetLeft, widgetReady } from "../../shared/widget-document.ts"

/**
 * Receives one widget from the page and becomes it. APIs that connect browsers with each other are removed first. Frames would restore
 * them, and `link`, `meta` and `base` lead elsewhere regardless of the policy, so none of these elements is ever created. Trusted Types
 * check every string that becomes HTML; other functions that create elements are replaced, and those that can't be checked are removed.
 * Nothing here calls a method that the widget could have replaced.
 */
export const widgetDocument = `<!doctype html><script>{
const set = (owner, name, value) => Object.defineProperty(owner, name, { value, writable: false, configurable: false })
const removed = /RTC|WebTransport|XSLTProcessor/
for (const name of Object.getOwnPropertyNames(window)) if (removed.test(name)) set(window, name, undefined)
const asks = /^(insertAdjacent|get|set|parse)HTML(Unsafe)?$/
const sanitizes = /^(set|parse)HTML$/
for (const owner of [Element, ShadowRoot, Document]) for (const object of [owner, owner.prototype])
  for (const name of Object.getOwnPropertyNames(object))
    if (/HTML(Unsafe)?$/.test(name) && typeof Object.getOwnPropertyDescriptor(object, name).value === "function")
      if (!asks.test(name) || sanitizes.test(name)) set(object, name, undefined)

const names = ["iframe", "frame", "object", "embed", "fencedframe", "portal", "link", "meta", "base"]
const upper = ["IFRAME", "FRAME", "OBJECT", "EMBED", "FENCEDFRAME", "PORTAL", "LINK", "META", "BASE"]
const count = 9
const endsName = (text, at) => at >= text.length || text[at] === "/" || text[at] === ">" || text[at] <= " "
const isUnwanted = (text, at) => {
  for (let n = 0; n < count; n++) {
    let length = 0
    while (length < names[n].length && (text[at + length] === names[n][length] || text[at + length] === upper[n][length])) length++
    if (length === names[n].length && endsName(text, at + length)) return true
  }
  return false
}
const opensUnwanted = (text, start) => {
  for (let at = start; at < text.length; at++) {
    if ((at === start || text[at - 1] === ":") && isUnwanted(text, at)) return true
    if (text[at] === "<" || endsName(text, at)) return false
  }
  return false
}
const declares = (text, at) => {
  for (let n = 0; n < 7; n++) if (text[at + n] !== "!ENTITY"[n]) return false
  return true
}
const safeHtml = (text) => {
  let safe = ""
  for (let at = 0; at < text.length; at++)
    safe += text[at] === "<" && (opensUnwanted(text, at + 1) || declares(text, at + 1)) ? "&lt;" : text[at]
  return safe
}

const { apply } = Reflect
// A prefix may hold what would end a name in markup, such as "<".
const safeName = (name) => {
  const text = \`\${name}\`
  for (let at = 0; at < text.length; at++) if ((at === 0 || text[at - 1] === ":") && isUnwanted(text, at)) return "span"
  return text
}
const { createElement, createElementNS } = Document.prototype
const { createDocument } = DOMImplementation.prototype
const { define } = CustomElementRegistry.prototype
set(Document.prototype, "createElement", function (name, options) {
  return apply(createElement, this, [safeName(name), options])
})
set(Document.prototype, "createElementNS", function (namespace, name, options) {
  return apply(createElementNS, this, [namespace, safeName(name), options])
})
set(DOMImplementation.prototype, "createDocument", function (namespace, name, type) {
  return apply(createDocument, this, [namespace, name === null ? "" : safeName(name), type ?? null])
})
set(CustomElementRegistry.prototype, "define", function (name, constructor) {
  return apply(define, this, [name, constructor])
})

// A link that is clicked with the middle button or a modifier opens a tab of the browser, which the sandbox allows.
const { preventDefault } = Event.prototype
const readers = ["button", "ctrlKey", "metaKey", "shiftKey", "altKey"].map(
  (name) => Object.getOwnPropertyDescriptor(MouseEvent.prototype, name).get,
)
const { get: keyOf } = Object.getOwnPropertyDescriptor(KeyboardEvent.prototype, "key")
const page = parent
const leave = (event) => {
  if (apply(keyOf, event, []) === "Escape") page.postMessage(${JSON.stringify(widgetLeft)}, "*")
}
const keepHere = (event) => {
  for (let n = 0; n < 5; n++) if (apply(readers[n], event, [])) return apply(preventDefault, event, [])
}

// A document that is opened again loses its listeners; its own history entries would keep the reader from leaving the page.
const { open, write, close } = Document.prototype
for (const name of ["open", "write", "writeln", "close"]) set(Document.prototype, name, undefined)
for (const name of ["pushState", "replaceState"]) set(History.prototype, name, () => {})

let html = null
window.trustedTypes?.createPolicy("default", {
  createHTML(text, type, sink) {
    switch (sink) {
      case "Element innerHTML": case "Element outerHTML": case "Element insertAdjacentHTML": case "ShadowRoot innerHTML":
      case "Range createContextualFragment": case "DOMParser parseFromString": case "Document parseHTMLUnsafe":
      case "Element setHTMLUnsafe": case "ShadowRoot setHTMLUnsafe":
        return safeHtml(text)
    }
    if (html === null || text !== html) return ""
    html = null
    return text
  },
  createScript: (text) => text,
})
addEventListener("message", function take({ source, data }) {
  if (source !== parent || typeof data?.html !== "string") return
  removeEventListener("message", take)
  html = safeHtml(data.html)
  apply(open, document, [])
  for (const type of ["auxclick", "click"]) addEventListener(type, keepHere, true)
  addEventListener("keydown", leave, true)
  apply(write, document, [html])
  apply(close, document, [])
})
parent.postMessage(${JSON.stringify(widgetReady)}, "*")
}</script>`
