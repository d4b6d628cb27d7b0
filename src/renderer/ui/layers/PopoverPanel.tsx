import { Popover } from "radix-ui"
import type { ReactNode } from "react"
import { classNames } from "../class-names.ts"

export interface PopoverPanelProps extends Pick<
  Popover.PopoverContentProps,
  "side" | "align" | "onOpenAutoFocus" | "onCloseAutoFocus" | "onKeyDown" | "onInteractOutside" | "className"
> {
  open: boolean
  onOpenChange: (open: boolean) => void
  trigger: ReactNode
  /** Its accessible name. */
  label: string
  children: ReactNode
}

/** The panel of a `Popover`, rendered on first use. */
export function PopoverPanel(props: PopoverPanelProps) {
  const { open, onOpenChange, trigger, label, className, children, ...content } = props
  return (
    <Popover.Root open={open} onOpenChange={onOpenChange}>
      <Popover.Trigger asChild>{trigger}</Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={6}
          collisionPadding={8}
          aria-label={label}
          {...content}
          className={classNames("z-40 animate-appear bg-raised shadow-float outline-none", className)}
        >
          {children}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
