import { t } from "i18next"
import { Check, Copy } from "lucide-react"
import { useState } from "react"
import { copyText } from "../../../../lib/browser/clipboard.ts"
import { IconButton } from "../../../../ui/controls/Button.tsx"
import { LongText } from "../../../../ui/text/LongText.tsx"
import { exactJson, visibleJson } from "../../../../lib/words/visible-text.ts"

const copiedMs = 1500

/** A complete value, scrollable if long. Copying gives the exact value; on screen, deceptive characters are escaped. */
export function JsonBlock({ label, value }: { label: string; value: unknown }) {
  const [copied, setCopied] = useState(false)
  async function copy() {
    await copyText(typeof value === "string" ? value : exactJson(value))
    setCopied(true)
    setTimeout(() => setCopied(false), copiedMs)
  }
  return (
    <figure aria-label={label} className="overflow-hidden rounded-lg border border-line bg-well">
      <figcaption className="flex h-8 items-center justify-between border-b border-line pr-1 pl-3 text-xs text-faint">
        {label}
        <IconButton
          label={copied ? t("tools:copied") : t("tools:copy", { what: label })}
          onClick={() => void copy()}
        >
          {copied ? <Check aria-hidden /> : <Copy aria-hidden />}
        </IconButton>
      </figcaption>
      <pre
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it has to scroll by keyboard
        tabIndex={0}
        dir="ltr"
        className="max-h-72 overflow-auto p-3 font-mono text-xs break-words whitespace-pre-wrap text-ink focus-visible:-outline-offset-2"
      >
        <LongText text={visibleJson(value)} />
      </pre>
    </figure>
  )
}
