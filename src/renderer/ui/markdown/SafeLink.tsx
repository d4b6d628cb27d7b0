import type { ReactNode } from "react"
import { ForeignLink } from "../text/ForeignLink.tsx"
import { realHost, safeUrl } from "./safe-url.ts"

/** A link out of a document or an answer. It shows its real destination, whatever its text claims. */
export function SafeLink({ href, children }: { href: string | undefined; children: ReactNode }) {
  const url = safeUrl(href ?? "")
  if (!url) return <span>{children}</span>
  const host = realHost(url)
  return (
    <ForeignLink address={url.href} className="text-accent underline decoration-1 underline-offset-2">
      {children}
      {!isPlainly(children, url, host) && (
        <span className="ml-1 inline-block text-xs text-faint no-underline">({host})</span>
      )}
    </ForeignLink>
  )
}

/** Whether the link's text is its address, so that showing the host would only repeat it. */
function isPlainly(children: ReactNode, url: URL, host: string): boolean {
  return typeof children === "string" && [url.href, url.href.replace(/\/$/, ""), host].includes(children)
}
