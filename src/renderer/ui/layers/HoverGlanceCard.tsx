import { HoverCard } from "radix-ui"
import { useEffect, useRef, useState, type ReactElement, type ReactNode } from "react"

export interface HoverGlanceProps {
  /** What the card shows. */
  glance: ReactNode
  /** Opens what the card shows at a glance. */
  onOpen: () => void
  /** The button, given what it needs beside its own look. */
  children: (props: { onClick: () => void }) => ReactElement
}

const openDelayMs = 250

/**
 * `HoverGlance`, with what places its card. The card comes by moving the pointer on the button or by going there with the
 * keyboard, never because the page moved the button under a pointer that rests; and it goes where the button moves away.
 */
export function HoverGlanceCard({ glance, onOpen, children }: HoverGlanceProps) {
  const [glancing, setGlancing] = useState(false)
  const [opened, setOpened] = useState(false)
  const button = useRef<HTMLAnchorElement>(null)
  const soon = useRef<number>(undefined)
  // Who has opened it needs no glance at it, and Esc is to close what was opened.
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
        // Browsers say that the pointer has entered also where the page has moved.
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

/** Calls back once an element stands elsewhere on the screen; returns how to stop watching. */
function whenMoved(element: Element, onMoved: () => void): () => void {
  const at = element.getBoundingClientRect()
  let frame = requestAnimationFrame(function look() {
    const { left, top } = element.getBoundingClientRect()
    if (left !== at.left || top !== at.top) onMoved()
    else frame = requestAnimationFrame(look)
  })
  return () => cancelAnimationFrame(frame)
}
