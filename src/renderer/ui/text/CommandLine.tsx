import { t } from "i18next"
import { Check, Copy } from "lucide-react"
import { useState } from "react"
import { copyText } from "../../lib/browser/clipboard.ts"
import { IconButton } from "../controls/IconButton.tsx"

const copiedMs = 1500

interface CommandLineProps {
  command: string
  /** It is no command, but an address or a place. */
  plain?: boolean
}

/** A command to run in a terminal, with a button that copies it. */
export function CommandLine({ command, plain = false }: CommandLineProps) {
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
        label={t(copied ? "common:copied" : plain ? "common:copy" : "common:copyCommand")}
        onClick={() => void copy()}
      >
        {copied ? <Check aria-hidden /> : <Copy aria-hidden />}
      </IconButton>
    </div>
  )
}
