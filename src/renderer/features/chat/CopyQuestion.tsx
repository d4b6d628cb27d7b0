import { t } from "i18next"
import { Check, Copy } from "lucide-react"
import { useState } from "react"
import { copyText } from "../../lib/browser/clipboard.ts"
import { IconButton } from "../../ui/controls/Button.tsx"

/** Copies the user's question. */
export function CopyQuestion({ text, className }: { text: string; className: string }) {
  const [copied, setCopied] = useState(false)
  async function copy() {
    await copyText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }
  return (
    <IconButton
      label={copied ? t("chat:copied") : t("longChats:copyQuestion")}
      className={className}
      onClick={() => void copy()}
    >
      {copied ? <Check className="text-good" aria-hidden /> : <Copy aria-hidden />}
    </IconButton>
  )
}
