import { z } from "zod"

/** Where a window is and how large when it isn't maximised, in the screen's logical pixels. */
export const Placement = z.object({
  x: z.int(),
  y: z.int(),
  width: z.int().positive(),
  height: z.int().positive(),
  maximised: z.boolean(),
})
export type Placement = z.infer<typeof Placement>

export type Area = Pick<Placement, "x" | "y" | "width" | "height">

/** So much of a window's upper edge must be on a display for people to be able to take hold of it. */
const gripWidth = 100
const gripHeight = 32

/**
 * Where to put a window that was at `saved`: the same place if its upper edge can still be reached on one of the
 * displays' work areas, made to fit there; undefined, which means the middle of the main display, if not.
 */
export function placeOn(displays: readonly Area[], saved: Placement | null): Area | undefined {
  if (!saved) return undefined
  const display = displays.find((area) => {
    const width = Math.min(saved.x + saved.width, area.x + area.width) - Math.max(saved.x, area.x)
    return width >= gripWidth && saved.y >= area.y && saved.y + gripHeight <= area.y + area.height
  })
  if (!display) return undefined
  return {
    x: saved.x,
    y: saved.y,
    width: Math.min(saved.width, display.width),
    height: Math.min(saved.height, display.height),
  }
}
