import { t } from "i18next"
import { Check, Copy } from "lucide-react"
import { useState } from "react"
import { copyText } from "../../lib/browser/clipboard.ts"
import { IconButton } from "../controls/Button.tsx"

const copiedMs = 1500

interface CommandLineProps {
  command: string
  /** The kind of text, for the button's label. */
  kind?: "command" | "link" | "address" | "path"
}

/** Text to be used elsewhere, such as a terminal command, with a copy button. */
export function CommandLine({ command, kind = "command" }: CommandLineProps) {
  const [copied, setCopied] = useState(false)
  async function copy() {
    await copyText(command)
    setCopied(true)
    setTimeout(() => setCopied(false), copiedMs)
  }
  return (
    <div className="flex items-start gap-2 rounded-lg border border-line bg-well py-1.5 pr-1.5 pl-3 text-left">
      <code className="min-w-0 flex-1 py-1 font-mono text-sm break-words whitespace-pre-wrap text-ink">
        {command}
      </code>
      <IconButton
        label={copied ? t("common:copied") : t(`common:copyThis.${kind}`)}
        onClick={() => void copy()}
      >
        {copied ? <Check aria-hidden /> : <Copy aria-hidden />}
      </IconButton>
    </div>
  )
}
