import { cloneElement, Suspense, useState } from "react"
import type { MenuItemProps, MenuProps } from "./MenuPanel.tsx"
import { later } from "../../lib/later.ts"

export type { MenuTrigger } from "./MenuPanel.tsx"

const panel = () => import("./MenuPanel.tsx")
const MenuPanel = later(async () => (await panel()).MenuPanel)
const MenuPanelItem = later(async () => (await panel()).MenuPanelItem)

/** A menu of actions under a button. What places it is fetched when the first menu is drawn; who clicks before isn't forgotten. */
export function Menu({ defaultOpen = false, ...props }: MenuProps) {
  const [isWanted, setIsWanted] = useState(false)
  return (
    <Suspense fallback={cloneElement(props.trigger, { onClick: () => setIsWanted(true) })}>
      <MenuPanel {...props} defaultOpen={defaultOpen || isWanted} />
    </Suspense>
  )
}

/** An action in a menu. */
export const MenuItem = (props: MenuItemProps) => <MenuPanelItem {...props} />
