import { useEffect, useEffectEvent, useSyncExternalStore } from "react"
import { useRemembered } from "../../lib/remembered.ts"

/** The sidebar's element ID. */
export const sidebarId = "sidebar"

/** Widths of the sidebar in pixels. At the minimum, chat names can still be told apart; at the maximum, there is still room next to it. */
export const sidebarRange = { min: 212, max: 400, usual: 248 }

const isWidth = (value: unknown): value is number =>
  typeof value === "number" && value >= sidebarRange.min && value <= sidebarRange.max

/** The sidebar's width on this computer. */
export const useSidebarWidth = () => useRemembered("sidebar-width", sidebarRange.usual, isWidth)

/**
 * Below this width, the sidebar is a drawer over the screen, because too little room would be left next to it. Same as `max-sm` in the
 * styles.
 */
const narrow = window.matchMedia("(width < 40rem)")

export const hasRoomForSidebar = (): boolean => !narrow.matches

function subscribe(listener: () => void): () => void {
  narrow.addEventListener("change", listener)
  return () => narrow.removeEventListener("change", listener)
}

/**
 * Returns a function that closes the open sidebar if it is a drawer, otherwise undefined. Following a link in the drawer also closes it,
 * except a link whose screen starts in the drawer.
 */
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
