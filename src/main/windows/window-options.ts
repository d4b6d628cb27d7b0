import { fileURLToPath } from "node:url"
import type { BrowserWindowConstructorOptions } from "electron"
import { z } from "zod"

/** Every window is a plain web page in a sandboxed process: no Node, no access to the preload's world. */
export const windowOptions: BrowserWindowConstructorOptions = {
  show: false,
  title: "Casella",
  webPreferences: {
    preload: fileURLToPath(new URL("../preload/preload.cjs", import.meta.url)),
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    webSecurity: true,
    webviewTag: false,
    navigateOnDragDrop: false,
  },
}

export const mainWindowShape: BrowserWindowConstructorOptions = {
  width: 1280,
  height: 800,
  minWidth: 640,
  minHeight: 480,
  autoHideMenuBar: true,
}

/** Small, frameless, always on top, and hidden from window lists. */
export const quickAskShape: BrowserWindowConstructorOptions = {
  width: 680,
  height: 480,
  minWidth: 480,
  minHeight: 240,
  frame: false,
  alwaysOnTop: true,
  skipTaskbar: true,
  fullscreenable: false,
  maximizable: false,
  minimizable: false,
}

/** A window's position and size when it isn't maximised, in logical screen pixels. */
export const Placement = z.object({
  x: z.int(),
  y: z.int(),
  width: z.int().positive(),
  height: z.int().positive(),
  maximised: z.boolean(),
})
export type Placement = z.infer<typeof Placement>

export type Area = Pick<Placement, "x" | "y" | "width" | "height">

/** The part of a window's top edge that must be on a display, so that people can drag it. */
const gripWidth = 100
const gripHeight = 32

/**
 * Returns the placement for a window that was at `saved`: the same position, fitted to a display's work area, if its top edge can still be
 * reached. Otherwise returns undefined, which centres the window on the main display.
 */
export function fitToDisplays(displays: readonly Area[], saved: Placement | null): Area | undefined {
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
