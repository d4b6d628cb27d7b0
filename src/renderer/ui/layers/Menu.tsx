import { cloneElement, Suspense, useState } from "react"
import type { MenuItemProps, MenuProps } from "./MenuPanel.tsx"
import { later } from "../../lib/later.ts"
import { WaitingButton } from "./WaitingButton.tsx"

export type { MenuTrigger } from "./MenuPanel.tsx"

const panel = () => import("./MenuPanel.tsx")
const MenuPanel = later(async () => (await panel()).MenuPanel)
const MenuPanelItem = later(async () => (await panel()).MenuPanelItem)

/**
 * A menu of actions under a button. What places it is fetched when the first menu is drawn; who clicks before isn't
 * forgotten, nor who thinks better of it.
 */
export function Menu({ defaultOpen = false, trigger, ...props }: MenuProps) {
  const [asked, setAsked] = useState(defaultOpen)
  const [pressed, setPressed] = useState(defaultOpen)
  // Drawn anew with its menu, the button has the focus of the one that was pressed.
  const button = cloneElement(trigger, { autoFocus: pressed })
  const press = () => {
    setPressed(true)
    setAsked(!asked)
  }
  const waiting = (
    <WaitingButton asked={asked} onGiveUp={() => setAsked(false)}>
      {cloneElement(button, { onClick: press })}
    </WaitingButton>
  )
  return (
    <Suspense fallback={waiting}>
      <MenuPanel {...props} trigger={button} defaultOpen={asked} />
    </Suspense>
  )
}

/** An action in a menu. */
export const MenuItem = (props: MenuItemProps) => <MenuPanelItem {...props} />
