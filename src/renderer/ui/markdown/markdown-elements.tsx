import type { Element, Root } from "hast"
import { type Components, toJsxRuntime } from "hast-util-to-jsx-runtime"
import { urlAttributes } from "html-url-attributes"
import { t } from "i18next"
import { Check, Copy, WrapText } from "lucide-react"
import { use, useRef, useState, type ReactNode, isValidElement, type ComponentType } from "react"
import { Fragment, jsx, jsxs } from "react/jsx-runtime"
import { copyText } from "../../lib/browser/clipboard.ts"
import { classNames } from "../class-names.ts"
import { HoverGlance } from "../layers/HoverGlance.tsx"
import { safeUrl, SafeLink } from "../text/ForeignLink.tsx"
import { CitationContext } from "./citations.ts"
import { citationElement } from "./parse/remark-plugins.ts"

const markdownTags =
  "a blockquote br code del em h1 h2 h3 h4 h5 h6 hr img input li ol p pre section span strong sub sup table tbody td th thead tr ul"
const formulaTags =
  "annotation line math menclose mfrac mglyph mi mn mo mover mpadded mphantom mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover path rect semantics svg"
const allowed = new Set([...markdownTags.split(" "), ...formulaTags.split(" "), citationElement])

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

/** `[3]` in an answer: previews the passage and opens it. A number without a passage stays text. */
function CitationButton({ number }: { number: number }) {
  const citations = use(CitationContext)
  const label = citations.label(number)
  if (label === undefined) return <>[{number}]</>
  return (
    <HoverGlance glance={citations.preview(number)} onOpen={() => citations.open(number)}>
      {(handlers) => (
        <button
          type="button"
          aria-label={t("chat:source", { number, name: label })}
          {...handlers}
          className="mx-px inline-flex h-4 min-w-4 -translate-y-px items-center justify-center rounded-sm bg-tint px-1 align-middle text-[0.6875rem] leading-none font-medium text-accent tabular-nums hover:bg-solid hover:text-on-solid"
        >
          {number}
        </button>
      )}
    </HoverGlance>
  )
}

const button =
  "flex h-6 items-center gap-1.5 rounded px-2 hover:bg-hover hover:text-ink aria-pressed:bg-selected aria-pressed:text-ink"

/** A code block with its language, and buttons to wrap lines and to copy it. */
export function CodeBlock({ language, children }: { language: string | undefined; children: ReactNode }) {
  const code = useRef<HTMLPreElement>(null)
  const [copied, setCopied] = useState(false)
  const [wrapped, setWrapped] = useState(false)

  async function copy() {
    await copyText(code.current?.textContent ?? "")
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }

  return (
    <div dir="ltr" className="my-3 overflow-hidden rounded-lg border border-line bg-well">
      <div
        data-besides
        className="flex h-8 items-center gap-0.5 border-b border-line pr-1 pl-3 text-xs text-faint"
      >
        <span className="min-w-0 flex-1 truncate">{language ?? t("chat:markdown.text")}</span>
        <button
          type="button"
          aria-pressed={wrapped}
          title={t("chat:markdown.wrap")}
          aria-label={t("chat:markdown.wrap")}
          onClick={() => setWrapped(!wrapped)}
          className={button}
        >
          <WrapText className="size-3.5" aria-hidden />
        </button>
        <button type="button" onClick={() => void copy()} className={button}>
          {copied ? <Check className="size-3.5" aria-hidden /> : <Copy className="size-3.5" aria-hidden />}
          {copied ? t("chat:copied") : t("chat:copy")}
        </button>
      </div>
      <pre
        ref={code}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it has to scroll by keyboard
        tabIndex={0}
        className={classNames(
          "p-3 font-mono text-sm leading-relaxed focus-visible:-outline-offset-2",
          wrapped ? "break-words whitespace-pre-wrap" : "overflow-x-auto",
        )}
      >
        {children}
      </pre>
    </div>
  )
}

function getLanguage(code: ReactNode): string | undefined {
  if (!isValidElement<{ className?: string }>(code)) return undefined
  return /language-([\w+#-]{1,40})/.exec(code.props.className ?? "")?.[1]
}

const citation: Record<string, ComponentType<{ number: number }>> = {
  [citationElement]: ({ number }) => <CitationButton number={number} />,
}

/** Components for Markdown's elements. Images become links, so that nothing is fetched unless the reader asks for it. */
const markdownElements: Components = {
  a: ({ href, children }) => <SafeLink href={href}>{children}</SafeLink>,
  img: ({ src, alt }) => {
    const name =
      alt === undefined || alt === ""
        ? t("chat:markdown.image")
        : t("chat:markdown.namedImage", { name: alt })
    return safeUrl(src ?? "") ? <SafeLink href={src}>{name}</SafeLink> : <span>{name}</span>
  },
  pre: ({ children }) => <CodeBlock language={getLanguage(children)}>{children}</CodeBlock>,
  // Markdown creates inputs only for task lists.
  input: ({ checked }) => (
    <input
      type="checkbox"
      disabled
      checked={checked === true}
      aria-label={checked === true ? t("chat:markdown.done") : t("chat:markdown.notDone")}
    />
  ),
  table: ({ children }) => (
    <section
      aria-label={t("chat:markdown.table")}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it has to scroll by keyboard
      tabIndex={0}
      className="my-3 overflow-x-auto focus-visible:-outline-offset-2"
    >
      <table>{children}</table>
    </section>
  ),
  ...citation,
}

/** Renders a safe tree as React elements. */
export const drawTree = (root: Root): ReactNode =>
  toJsxRuntime(root, {
    Fragment,
    jsx,
    jsxs,
    components: markdownElements,
    ignoreInvalidStyle: true,
    passKeys: true,
  })
