import { Check, Copy } from "lucide-react"
import { useState } from "react"
import { copyText } from "../../lib/clipboard.ts"
import { IconButton } from "../../ui/IconButton.tsx"

/** A command to run in a terminal, with a button that copies it. */
export function CommandLine({ command }: { command: string }) {
  const [copied, setCopied] = useState(false)
  async function copy() {
    await copyText(command)
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }
  return (
    <div className="flex items-center gap-2 rounded-lg border border-line bg-well py-1.5 pr-1.5 pl-3">
      <code className="min-w-0 flex-1 overflow-x-auto font-mono text-sm whitespace-nowrap text-ink">
        {command}
      </code>
      <IconButton label={copied ? "Copied" : "Copy the command"} onClick={() => void copy()}>
        {copied ? <Check aria-hidden /> : <Copy aria-hidden />}
      </IconButton>
    </div>
  )
}
