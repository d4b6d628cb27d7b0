import { lazy, Suspense } from "react"
import type { MenuItemProps, MenuProps } from "./MenuPanel.tsx"

const panel = () => import("./MenuPanel.tsx")
const MenuPanel = lazy(async () => ({ default: (await panel()).MenuPanel }))
const MenuPanelItem = lazy(async () => ({ default: (await panel()).MenuPanelItem }))

/** A menu of actions under a button. What places it is fetched when the first menu is drawn. */
export function Menu(props: MenuProps) {
  return (
    <Suspense fallback={props.trigger}>
      <MenuPanel {...props} />
    </Suspense>
  )
}

/** An action in a menu. */
export const MenuItem = (props: MenuItemProps) => <MenuPanelItem {...props} />
