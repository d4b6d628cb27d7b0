import { cloneElement, Suspense, useState, type ComponentProps, type ReactElement } from "react"
import type { PopoverPanelProps } from "./PopoverPanel.tsx"
import { later } from "../../lib/later.ts"
import { WaitingButton } from "./Menu.tsx"

const PopoverPanel = later(async () => (await import("./PopoverPanel.tsx")).PopoverPanel)

export interface PopoverProps extends Omit<PopoverPanelProps, "trigger"> {
  /** The button that opens and closes it. */
  trigger: ReactElement<ComponentProps<"button">>
}

/** A panel next to the button that opens it. Its positioning code is loaded on first use. */
export function Popover({ trigger, ...panel }: PopoverProps) {
  const { open, onOpenChange } = panel
  const [wanted, setWanted] = useState(open)
  if (open && !wanted) setWanted(true)
  const waiting = cloneElement(trigger, {
    "aria-haspopup": "dialog",
    "aria-expanded": open,
    onClick: () => onOpenChange(!open),
  })
  if (!wanted) return waiting
  return (
    <Suspense
      fallback={
        <WaitingButton asked={open} onCancel={() => onOpenChange(false)}>
          {waiting}
        </WaitingButton>
      }
    >
      <PopoverPanel trigger={trigger} {...panel} />
    </Suspense>
  )
}
