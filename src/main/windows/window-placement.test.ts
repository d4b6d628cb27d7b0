import { expect, test } from "vitest"
import { fitToDisplays, type Placement } from "./window-options.ts"

const laptop = { x: 0, y: 25, width: 1440, height: 875 }
const screen = { x: 1440, y: 0, width: 2560, height: 1400 }
const saved = (x: number, y: number, width = 1280, height = 800): Placement => ({
  x,
  y,
  width,
  height,
  maximised: false,
})

test("restores a window's position", () => {
  expect(fitToDisplays([laptop, screen], saved(2000, 100))).toEqual({
    x: 2000,
    y: 100,
    width: 1280,
    height: 800,
  })
  expect(fitToDisplays([laptop, screen], saved(-1100, 30))).toMatchObject({ x: -1100 })
})

// Catches a window that opens out of view because its display is gone or its title bar is above the edge.
test.each([
  ["its display is gone", [laptop], saved(2000, 100)],
  ["only a sliver would show", [laptop], saved(1400, 100)],
  ["its upper edge is above the display", [laptop], saved(100, -200)],
  ["its upper edge is below the display", [laptop], saved(100, 890)],
  ["nothing was saved", [laptop], null],
  ["there is no display", [], saved(0, 0)],
])("lets the system choose when %s", (_, displays, placement) => {
  expect(fitToDisplays(displays, placement)).toBeUndefined()
})

test("keeps a window no larger than its display", () => {
  expect(fitToDisplays([laptop], saved(0, 25, 2560, 1400))).toEqual({ x: 0, y: 25, width: 1440, height: 875 })
})
