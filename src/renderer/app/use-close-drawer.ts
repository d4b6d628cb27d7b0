import { useEffect, useEffectEvent, useSyncExternalStore } from "react"
import { sidebarId } from "./sidebar/sidebar-width.ts"

/** Below this width a sidebar leaves too little beside it: it lies over the screen, as a drawer. As `max-sm` of the styles. */
const narrow = window.matchMedia("(width < 40rem)")

export const hasRoomForSidebar = (): boolean => !narrow.matches

function subscribe(listener: () => void): () => void {
  narrow.addEventListener("change", listener)
  return () => narrow.removeEventListener("change", listener)
}

/** How to close the open sidebar where it is a drawer; undefined where it isn't. Choosing a link in it closes it, too, but one whose screen begins in the drawer. */
export function useCloseDrawer(open: boolean, close: () => void): (() => void) | undefined {
  const hasRoom = useSyncExternalStore(subscribe, hasRoomForSidebar)
  const isDrawer = open && !hasRoom
  const onClick = useEffectEvent(({ target }: MouseEvent) => {
    if (target instanceof Element && target.closest(`#${sidebarId} a:not([data-keeps-drawer])`)) close()
  })
  useEffect(() => {
    if (!isDrawer) return
    const listener = (event: MouseEvent) => onClick(event)
    document.addEventListener("click", listener)
    return () => document.removeEventListener("click", listener)
  }, [isDrawer])
  return isDrawer ? close : undefined
}
