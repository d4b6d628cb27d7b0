import { useRemembered } from "../../lib/remembered.ts"

/** The sidebar's element ID. */
export const sidebarId = "sidebar"

/** Widths of the sidebar in pixels. At the minimum, chat names can still be told apart; at the maximum, there is still room next to it. */
export const sidebarRange = { least: 212, most: 400, usual: 248 }

const isWidth = (value: unknown): value is number =>
  typeof value === "number" && value >= sidebarRange.least && value <= sidebarRange.most

/** The sidebar's width on this computer. */
export const useSidebarWidth = () => useRemembered("sidebar-width", sidebarRange.usual, isWidth)
