import { t } from "i18next"
import { HoverCard } from "radix-ui"
import { use, useState } from "react"
import { CitationContext } from "./citation-context.ts"

/** `[3]` in an answer: shows the passage at a glance and opens it. A number without a passage stays text. */
export function CitationButton({ number }: { number: number }) {
  const citations = use(CitationContext)
  const [glancing, setGlancing] = useState(false)
  const [opened, setOpened] = useState(false)
  const label = citations.label(number)
  if (label === undefined) return <>[{number}]</>
  return (
    <HoverCard.Root
      openDelay={250}
      closeDelay={100}
      // Who has opened the passage needs no glance at it, and Esc is to close the passage.
      open={glancing && !opened}
      onOpenChange={setGlancing}
    >
      <HoverCard.Trigger asChild>
        <button
          type="button"
          aria-label={t("chat:source", { number, name: label })}
          onClick={() => {
            setOpened(true)
            citations.open(number)
          }}
          onPointerLeave={() => {
            if (opened) setGlancing(false)
            setOpened(false)
          }}
          className="mx-px inline-flex h-4 min-w-4 -translate-y-px items-center justify-center rounded-sm bg-tint px-1 align-middle text-[0.6875rem] leading-none font-medium text-accent tabular-nums hover:bg-solid hover:text-on-solid"
        >
          {number}
        </button>
      </HoverCard.Trigger>
      <HoverCard.Portal>
        <HoverCard.Content
          side="top"
          sideOffset={6}
          collisionPadding={8}
          className="z-50 w-80 max-w-[calc(100vw-1rem)] animate-appear rounded-lg bg-raised p-3 shadow-float"
        >
          {citations.preview(number)}
        </HoverCard.Content>
      </HoverCard.Portal>
    </HoverCard.Root>
  )
}
