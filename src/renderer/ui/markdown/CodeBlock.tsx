import { t } from "i18next"
import { Check, Copy, WrapText } from "lucide-react"
import { useRef, useState, type ReactNode } from "react"
import { copyText } from "../../lib/browser/clipboard.ts"
import { classNames } from "../class-names.ts"

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
