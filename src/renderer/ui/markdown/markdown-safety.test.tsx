import type { Element } from "hast"
import i18next from "i18next"
import { renderToStaticMarkup } from "react-dom/server"
import { DomUtils, parseDocument } from "htmlparser2"
import { beforeAll, expect, test } from "vitest"
import { en } from "../../locales/en/en.ts"
import { Markdown } from "./Markdown.tsx"
import { makeSafe } from "./markdown-elements.tsx"
import { drawText } from "./testing/draw-text.tsx"
import { xssPayloads } from "./testing/xss-payloads.ts"

beforeAll(() => i18next.init({ lng: "en", resources: { en } }))

const allowedTags = new Set(
  "div span p a em strong del code pre h1 h2 h3 h4 h5 h6 ul ol li blockquote hr br table thead tbody tr th td input section sup button svg path rect line math semantics annotation mrow mi mn mo ms mtext mspace mfrac msup msub msubsup msqrt mroot mover munder munderover mtable mtr mtd mstyle mpadded mphantom menclose mglyph".split(
    " ",
  ),
)
/** Styles that KaTeX may set: lengths, positions and colours, but nothing with an address or a function. */
const harmlessStyle = /^(?:[a-z-]+:\s*[#\w.%\- ]*;?\s*)*$/
const followed = new Set([
  "href",
  "src",
  "srcset",
  "action",
  "formaction",
  "data",
  "poster",
  "background",
  "xlink:href",
])

type HtmlNode = ReturnType<typeof parseDocument>["children"][number]
type HtmlElement = Extract<HtmlNode, { attribs: unknown }>

/** Returns what is dangerous in rendered HTML, parsed as a browser would parse it. */
function faults(html: string): string[] {
  const found: string[] = []
  for (const element of DomUtils.findAll(() => true, parseDocument(html).children))
    found.push(...getFaults(element))
  return found
}

function getFaults({ name, attribs }: HtmlElement): string[] {
  const found = allowedTags.has(name) ? [] : [`<${name}>`]
  if (name === "input" && attribs["type"] !== "checkbox") found.push("input")
  for (const [attribute, value] of Object.entries(attribs)) {
    if (attribute.startsWith("on") || ["srcdoc", "ping"].includes(attribute)) found.push(attribute)
    if (attribute === "style" && (!harmlessStyle.test(value) || /url|position:\s*fixed/i.test(value)))
      found.push(`style=${value}`)
    if (!followed.has(attribute)) continue
    if (attribute !== "href" || name !== "a" || !value.startsWith("#")) found.push(`${attribute}=${value}`)
  }
  return found
}

/** Renders a text as the page shows it immediately, and as it does after the worker has read it. */
const render = (text: string, growing = false): string =>
  renderToStaticMarkup(<Markdown text={text} growing={growing} />) + drawText(text, !growing)

test("has enough payloads", () => {
  expect(new Set(xssPayloads).size).toBeGreaterThanOrEqual(200)
})

// Catches HTML that passes through, a handler or an address that slips in, and an image that loads by itself. It checks whole answers and
// every step of streaming, because half a payload may mean something else.
test("runs and fetches nothing for any payload cut at any point", { timeout: 400_000 }, () => {
  const growing = xssPayloads.flatMap((payload) => Array.from(payload, (_, end) => payload.slice(0, end)))
  const dangerous = [
    ...[...new Set(growing)].filter((text) => faults(render(text, true)).length > 0),
    ...xssPayloads.filter((text) => faults(render(text)).length > 0),
  ]
  expect(dangerous).toEqual([])
})

// Catches a checker that finds nothing, which would let the test above pass on anything.
test("finds known faults with its checker", () => {
  const bad = [
    "<script>1</script>",
    "<img src=x>",
    "<p onclick=x>",
    "<a href='javascript:1'>",
    "<a href='https://x'>",
    "<a href='//x'>",
    "<p style='background:url(//evil.example/x)'>",
    "<p style='width:expression(1)'>",
    "<p style='position: fixed'>",
    "<iframe>",
  ]
  for (const html of bad) expect(faults(html), html).not.toEqual([])
})

// Catches elements of a tree that the parser doesn't make today, and that would be rendered as they are.
test("makes plain elements of those that answers never contain", () => {
  const element = (
    tagName: string,
    properties: Element["properties"],
    children: Element[] = [],
  ): Element => ({
    type: "element",
    tagName,
    properties,
    children,
  })
  const src = "https://evil.example/"
  const nested = element("iframe", { srcDoc: "<b>x</b>" }, [element("embed", { src })])
  const children = [
    element("p", {}, [element("script", { src }), nested, element("object", { data: src })]),
    element("form", { action: src }, [element("style", {}), element("a", { href: "javascript:alert(1)" })]),
  ]
  const tags: string[] = []
  const visit = (found: Element) => {
    tags.push(found.tagName)
    for (const child of found.children) if (child.type === "element") visit(child)
  }
  const root = makeSafe({ type: "root", children })
  for (const child of root.children) if (child.type === "element") visit(child)
  expect(tags).toEqual(["p", "span", "span", "span", "span", "span", "span", "a"])
  expect(JSON.stringify(root)).not.toMatch(/evil|srcDoc|javascript/)
})

test("shows where a link really leads", () => {
  expect(render("[your bank](https://evil.example/login)")).toContain("(evil.example)")
  expect(render("[https://bank.example](https://evil.example)")).toContain("(evil.example)")
  expect(render("[x](https://bank.example@evil.example)")).toContain("(evil.example)")
  expect(render("[x](https://bänk.example)")).toContain("(xn--bnk-qla.example)")
  expect(render("<https://plain.example/>")).not.toContain("(plain.example)")
})

test("renders a remote image as a link that names its host", () => {
  const html = render("![chart](https://evil.example/p.png?q=canary)")
  expect(html).not.toContain("<img")
  expect(html).toContain("Image: chart")
  expect(html).toContain("(evil.example)")
})
