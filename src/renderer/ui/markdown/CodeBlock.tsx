import { Check, Copy } from "lucide-react"
import { useRef, useState, type ReactNode } from "react"
import { copyText } from "../../lib/clipboard.ts"

/** A block of code with its language and a button that copies it. */
export function CodeBlock({ language, children }: { language: string | undefined; children: ReactNode }) {
  const code = useRef<HTMLPreElement>(null)
  const [copied, setCopied] = useState(false)

  async function copy() {
    await copyText(code.current?.textContent ?? "")
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }

  return (
    <div className="my-3 overflow-hidden rounded-lg border border-line bg-well">
      <div className="flex h-8 items-center justify-between border-b border-line pr-1 pl-3 text-xs text-faint">
        <span>{language ?? "text"}</span>
        <button
          type="button"
          onClick={() => void copy()}
          className="flex h-6 items-center gap-1.5 rounded px-2 hover:bg-hover hover:text-ink"
        >
          {copied ? <Check className="size-3.5" aria-hidden /> : <Copy className="size-3.5" aria-hidden />}
          {copied ? "Copied" : "Copy"}
        </button>
      </div>
      <pre ref={code} className="overflow-x-auto p-3 font-mono text-sm leading-relaxed">
        {children}
      </pre>
    </div>
  )
}
