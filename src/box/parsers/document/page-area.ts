import type { PageArea } from "../../../shared/contract/location.ts"

/** Stored with every piece of text, so it has only as many digits as a screen can show. */
const share = (value: number) => Math.round(Math.min(1, Math.max(0, value)) * 10_000) / 10_000

/** Returns the area with these opposite corners, as fractions of the page, clipped to the page. */
export function areaBetween([x1, y1]: [number, number], [x2, y2]: [number, number]): PageArea {
  const [left, right] = [share(Math.min(x1, x2)), share(Math.max(x1, x2))]
  const [top, bottom] = [share(Math.min(y1, y2)), share(Math.max(y1, y2))]
  return { left, top, width: share(right - left), height: share(bottom - top) }
}

/** Returns the smallest area that contains both. */
export function mergeAreas(a: PageArea | undefined, b: PageArea | undefined): PageArea | undefined {
  if (!a || !b) return a ?? b
  return areaBetween(
    [Math.min(a.left, b.left), Math.min(a.top, b.top)],
    [Math.max(a.left + a.width, b.left + b.width), Math.max(a.top + a.height, b.top + b.height)],
  )
}
