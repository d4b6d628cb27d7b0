import { Check } from "lucide-react"
import { DropdownMenu } from "radix-ui"
import type { ComponentProps, ReactElement, ReactNode } from "react"
import { classNames } from "../class-names.ts"

/** The button that opens a menu. */
export type MenuTrigger = ReactElement<Pick<ComponentProps<"button">, "autoFocus"> & { onClick?: () => void }>

export interface MenuProps {
  trigger: MenuTrigger
  children: ReactNode
  align?: "start" | "end"
  defaultOpen?: boolean
}

/** The panel of a `Menu`. */
export function MenuPanel({ trigger, children, align = "end", defaultOpen = false }: MenuProps) {
  return (
    <DropdownMenu.Root defaultOpen={defaultOpen}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className="z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-44 animate-appear overflow-y-auto rounded-lg bg-raised p-1 shadow-float"
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

export interface MenuItemProps {
  onSelect: () => void
  children: ReactNode
  danger?: boolean
  disabled?: boolean
  /** Whether it is the current choice among several that exclude each other. */
  chosen?: boolean
}

export function MenuPanelItem({
  onSelect,
  children,
  danger = false,
  disabled = false,
  chosen,
}: MenuItemProps) {
  return (
    <DropdownMenu.Item
      onSelect={onSelect}
      disabled={disabled}
      {...(chosen !== undefined && { role: "menuitemradio", "aria-checked": chosen })}
      className={classNames(
        "flex min-h-8 items-center gap-2 rounded-md px-2 py-1 text-sm outline-none select-none data-[disabled]:opacity-40",
        "data-[highlighted]:bg-selected [&_svg]:size-4 [&_svg]:shrink-0",
        danger ? "text-danger" : "text-ink [&_svg]:text-soft",
      )}
    >
      {children}
      {chosen === true && <Check className="ml-auto" aria-hidden />}
    </DropdownMenu.Item>
  )
}
