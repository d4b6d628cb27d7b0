import { useRemembered } from "../../lib/remembered.ts"

/** Its element in the page. */
export const sidebarId = "sidebar"

/** Widths of the sidebar in pixels. Names of chats are still told apart at the least, and at the most there is room beside it. */
export const sidebarRange = { least: 212, most: 400, usual: 248 }

const isWidth = (value: unknown): value is number =>
  typeof value === "number" && value >= sidebarRange.least && value <= sidebarRange.most

/** How wide the sidebar is on this computer. */
export const useSidebarWidth = () => useRemembered("sidebar-width", sidebarRange.usual, isWidth)
