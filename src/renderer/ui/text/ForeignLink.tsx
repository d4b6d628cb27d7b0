import type { KeyboardEvent, MouseEvent, ReactNode } from "react"

const allowedProtocols = new Set(["http:", "https:", "mailto:"])

/** Returns the address if it is an absolute http, https or mailto URL; otherwise undefined. */
export function safeUrl(url: string): URL | undefined {
  const parsed = URL.parse(url)
  return parsed && allowedProtocols.has(parsed.protocol) ? parsed : undefined
}

/** The real destination of a link, in a form that can't be spoofed by look-alike letters or a user name. */
const realHost = (url: URL): string => (url.protocol === "mailto:" ? url.pathname : url.host)

interface ForeignLinkProps {
  address: string
  className?: string
  /** In a dialog, whether it gets the initial focus. */
  focusedFirst?: boolean
  children: ReactNode
}

/**
 * The only component that links to another computer. It has no destination until it is followed, because a browser may look up the host of
 * a link that is merely shown or hovered, which reveals its name to the network. An unsafe address is shown as plain text.
 */
export function ForeignLink({ address, className, focusedFirst, children }: ForeignLinkProps) {
  const url = safeUrl(address)
  if (!url) return <span>{children}</span>
  const { href } = url
  const follow = () => window.open(href, "_blank", "noopener,noreferrer")
  const onMiddle = (action: () => void) => (event: MouseEvent) => {
    if (event.button !== 1) return
    event.preventDefault()
    action()
  }
  return (
    // oxlint-disable-next-line jsx-a11y/anchor-is-valid -- a button can't be read as a link, nor its address be copied
    <a
      // oxlint-disable-next-line jsx-a11y/no-redundant-roles -- without a destination an anchor has no role of its own
      role="link"
      tabIndex={0}
      title={href}
      data-focus-first={focusedFirst}
      className={className}
      onClick={follow}
      onMouseDown={onMiddle(() => undefined)} // otherwise the browser starts scrolling
      onAuxClick={onMiddle(follow)}
      onKeyDown={(event: KeyboardEvent) => event.key === "Enter" && follow()}
      onContextMenu={({ currentTarget }) => lendDestination(currentTarget, href)}
    >
      {children}
    </a>
  )
}

/** Sets the destination only while a context menu opens, so that the menu offers to copy the address. */
function lendDestination(link: HTMLAnchorElement, href: string): void {
  link.href = href
  setTimeout(() => link.removeAttribute("href"))
}

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
