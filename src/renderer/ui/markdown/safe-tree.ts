import type { Element, Root } from "hast"
import { urlAttributes } from "html-url-attributes"
import { citationElement } from "./parse/remark-plugins.ts"
import { safeUrl } from "../text/ForeignLink.tsx"

const markdownElements =
  "a blockquote br code del em h1 h2 h3 h4 h5 h6 hr img input li ol p pre section span strong sub sup table tbody td th thead tr ul"
const formulaElements =
  "annotation line math menclose mfrac mglyph mi mn mo mover mpadded mphantom mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover path rect semantics svg"
const allowed = new Set([...markdownElements.split(" "), ...formulaElements.split(" "), citationElement])

/**
 * Makes a tree safe to render, whatever thread it was read on. Elements that neither Markdown nor formulas use become plain ones, and
 * unsafe addresses are removed. Everything that is rendered goes through this function.
 */
export function makeSafe(root: Root): Root {
  const open: (Root | Element)[] = [root]
  for (let next = open.pop(); next; next = open.pop()) {
    for (const child of next.children) {
      if (child.type !== "element") continue
      makeElementSafe(child)
      open.push(child)
    }
  }
  return root
}

function makeElementSafe(element: Element): void {
  if (!allowed.has(element.tagName)) {
    element.tagName = "span"
    element.properties = {}
  }
  for (const [name, value] of Object.entries(element.properties)) {
    if (Object.hasOwn(urlAttributes, name))
      element.properties[name] = safeUrl(String(value ?? ""))?.href ?? ""
  }
}
