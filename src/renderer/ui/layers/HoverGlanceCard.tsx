import { HoverCard } from "radix-ui"
import { useState, type ReactElement, type ReactNode } from "react"

export interface HoverGlanceProps {
  /** What the card shows. */
  glance: ReactNode
  /** Opens what the card shows at a glance. */
  onOpen: () => void
  /** The button, given what it needs beside its own look. */
  children: (props: { onClick: () => void; onPointerLeave: () => void }) => ReactElement
}

/** `HoverGlance`, with what places its card. */
export function HoverGlanceCard({ glance, onOpen, children }: HoverGlanceProps) {
  const [glancing, setGlancing] = useState(false)
  const [opened, setOpened] = useState(false)
  return (
    <HoverCard.Root
      openDelay={250}
      closeDelay={100}
      // Who has opened it needs no glance at it, and Esc is to close what was opened.
      open={glancing && !opened}
      onOpenChange={setGlancing}
    >
      <HoverCard.Trigger asChild>
        {children({
          onClick() {
            setOpened(true)
            onOpen()
          },
          onPointerLeave() {
            if (opened) setGlancing(false)
            setOpened(false)
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
