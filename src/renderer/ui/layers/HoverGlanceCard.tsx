import { HoverCard } from "radix-ui"
import { useEffect, useRef, useState, type ReactElement, type ReactNode } from "react"

export interface HoverGlanceProps {
  /** Content of the card. */
  glance: ReactNode
  /** Opens what the card previews. */
  onOpen: () => void
  /** Renders the button with the given props. */
  children: (props: { onClick: () => void }) => ReactElement
}

const openDelayMs = 250

/**
 * `HoverGlance` with its positioning code. The card appears when the pointer moves on the button or the keyboard focuses it, but not when
 * the page moves the button under a resting pointer. It disappears when the button moves.
 */
export function HoverGlanceCard({ glance, onOpen, children }: HoverGlanceProps) {
  const [glancing, setGlancing] = useState(false)
  const [opened, setOpened] = useState(false)
  const button = useRef<HTMLAnchorElement>(null)
  const soon = useRef<number>(undefined)
  // After opening, no preview is needed, and Esc should close what was opened.
  const open = glancing && !opened

  useEffect(() => () => clearTimeout(soon.current), [])
  useEffect(
    () => (open && button.current ? whenMoved(button.current, () => setGlancing(false)) : undefined),
    [open],
  )

  function forget() {
    clearTimeout(soon.current)
    soon.current = undefined
  }

  return (
    <HoverCard.Root openDelay={openDelayMs} closeDelay={100} open={open} onOpenChange={setGlancing}>
      <HoverCard.Trigger
        asChild
        ref={button}
        // Browsers also report that the pointer has entered when the page has moved.
        onPointerEnter={(event) => event.preventDefault()}
        onPointerMove={({ pointerType }) => {
          if (pointerType === "touch" || open || opened) return
          soon.current ??= window.setTimeout(() => {
            soon.current = undefined
            setGlancing(true)
          }, openDelayMs)
        }}
        onClick={forget}
        onPointerLeave={() => {
          forget()
          if (opened) setGlancing(false)
          setOpened(false)
        }}
        onFocus={(event) => {
          if (!event.currentTarget.matches(":focus-visible")) event.preventDefault()
        }}
      >
        {children({
          onClick() {
            setOpened(true)
            onOpen()
          },
        })}
      </HoverCard.Trigger>
      <HoverCard.Portal>
        <HoverCard.Content
          side="top"
          sideOffset={6}
          collisionPadding={8}
          className="z-50 w-80 max-w-[calc(100vw-1rem)] animate-appear rounded-lg bg-raised p-3 shadow-float"
        >
          {glance}
        </HoverCard.Content>
      </HoverCard.Portal>
    </HoverCard.Root>
  )
}

/** Calls back when an element has moved on the screen. Returns a function that stops watching. */
function whenMoved(element: Element, onMoved: () => void): () => void {
  const at = element.getBoundingClientRect()
  let frame = requestAnimationFrame(function check() {
    const { left, top } = element.getBoundingClientRect()
    if (left !== at.left || top !== at.top) onMoved()
    else frame = requestAnimationFrame(check)
  })
  return () => cancelAnimationFrame(frame)
}
