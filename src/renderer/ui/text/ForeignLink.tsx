import type { KeyboardEvent, MouseEvent, ReactNode } from "react"
import { safeUrl } from "../markdown/safe-url.ts"

interface ForeignLinkProps {
  address: string
  className?: string
  /** In a dialog: the focus goes here first. */
  focusedFirst?: boolean
  children: ReactNode
}

/**
 * The one link to another machine. It has no destination until somebody follows it: a browser looks up the host of a
 * link that is only hovered or shown, which tells its name to the network. What may not be followed is plain text.
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
      onMouseDown={onMiddle(() => undefined)} // or it would begin to scroll
      onAuxClick={onMiddle(follow)}
      onKeyDown={(event: KeyboardEvent) => event.key === "Enter" && follow()}
      onContextMenu={({ currentTarget }) => lendDestination(currentTarget, href)}
    >
      {children}
    </a>
  )
}

/** For as long as a context menu is made: it offers to copy the address of what is a link at that moment. */
function lendDestination(link: HTMLAnchorElement, href: string): void {
  link.href = href
  setTimeout(() => link.removeAttribute("href"))
}
