import { Ellipsis } from "lucide-react"
import { type ReactNode, cloneElement, Suspense, useState, type ComponentProps } from "react"
import { useCancelLoading } from "../../lib/keys/shortcut.ts"
import { controlCode } from "../../lib/later.ts"
import { classNames } from "../class-names.ts"
import type { MenuItemProps, MenuProps, MenuTrigger } from "./MenuPanel.tsx"

interface WaitingButtonProps {
  /** Whether its menu or panel has been requested. */
  asked: boolean
  onCancel: () => void
  children: ReactNode
}

/** A button whose menu or panel is still loading. Esc cancels the request. */
export function WaitingButton({ asked, onCancel, children }: WaitingButtonProps) {
  useCancelLoading(asked, onCancel)
  return children
}

export type { MenuTrigger }

const panel = controlCode(() => import("./MenuPanel.tsx"))

/**
 * A menu of actions below a button. Its positioning code is loaded when the first menu is rendered. A click before that opens the menu when
 * it has loaded, unless the user cancels.
 */
export function Menu({ defaultOpen = false, trigger, ...props }: MenuProps) {
  const [asked, setAsked] = useState(defaultOpen)
  const [pressed, setPressed] = useState(defaultOpen)
  // When the button is rendered again with its menu, it gets back the focus of the pressed button.
  const button = cloneElement(trigger, { autoFocus: pressed })
  const press = () => {
    setPressed(true)
    setAsked(!asked)
  }
  const code = panel.use()
  if (code) return <code.MenuPanel {...props} trigger={button} defaultOpen={asked} />
  return (
    <WaitingButton asked={asked} onCancel={() => setAsked(false)}>
      {cloneElement(button, { onClick: press })}
    </WaitingButton>
  )
}

/** An action in a menu. */
export function MenuItem(props: MenuItemProps) {
  const code = panel.use()
  return code && <code.MenuPanelItem {...props} />
}

interface RowMenuProps {
  /** The button's accessible name. */
  label: string
  className?: string
  /** Renders the menu around its button, initially open. It may load lazily. */
  renderMenu: (trigger: MenuTrigger) => ReactNode
}

/** A row's menu, created on first use, because hundreds of rows are mounted and unmounted while a long list scrolls. */
export function RowMenu({ label, className, renderMenu }: RowMenuProps) {
  const [wanted, setWanted] = useState<boolean>()
  const button: ComponentProps<"button"> = {
    type: "button",
    // When the button is rendered again, it gets back the focus of the pressed button.
    autoFocus: wanted !== undefined,
    title: label,
    "aria-label": label,
    className: classNames(
      "inline-flex size-7 shrink-0 items-center justify-center rounded-md text-soft hover:bg-hover hover:text-ink data-[state=open]:bg-selected",
      className,
    ),
    children: <Ellipsis className="size-4" aria-hidden />,
  }
  if (wanted === true)
    return (
      <Suspense
        fallback={
          <WaitingButton asked onCancel={() => setWanted(false)}>
            <button {...button} />
          </WaitingButton>
        }
      >
        {renderMenu(<button {...button} />)}
      </Suspense>
    )
  return <button {...button} aria-haspopup="menu" aria-expanded={false} onClick={() => setWanted(true)} />
}
