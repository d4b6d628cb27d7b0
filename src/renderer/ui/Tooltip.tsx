import { Tooltip as Radix } from "radix-ui"
import type { ReactNode } from "react"

export const TooltipProvider = Radix.Provider

/** A short hint on hover and focus; `keys` names the shortcut. */
export function Tooltip({ text, keys, children }: { text: string; keys?: string; children: ReactNode }) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          sideOffset={6}
          collisionPadding={8}
          className="z-50 flex max-w-72 animate-appear items-center gap-2 rounded-md bg-raised px-2 py-1 text-xs text-ink shadow-float"
        >
          {text}
          {keys !== undefined && <kbd className="font-sans text-faint">{keys}</kbd>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
