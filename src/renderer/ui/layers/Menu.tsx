import { cloneElement, Suspense, useState } from "react"
import type { MenuItemProps, MenuProps } from "./MenuPanel.tsx"
import { later } from "../../lib/later.ts"
import { WaitingButton } from "./WaitingButton.tsx"

export type { MenuTrigger } from "./MenuPanel.tsx"

const panel = () => import("./MenuPanel.tsx")
const MenuPanel = later(async () => (await panel()).MenuPanel)
const MenuPanelItem = later(async () => (await panel()).MenuPanelItem)

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
  const waiting = (
    <WaitingButton asked={asked} onCancel={() => setAsked(false)}>
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
