import { BrowserWindow, type BrowserWindowConstructorOptions } from "electron"
import { windowOptions } from "./window-options.ts"

/** All windows are created here, so that none has more permissions than the others. */
export function createWindow(shape: BrowserWindowConstructorOptions): BrowserWindow {
  return new BrowserWindow({ ...shape, ...windowOptions })
}

/** Returns an address that signs the page in and then shows an in-app route. */
export function signInAddress(boxUrl: string, token: string, route = "/"): string {
  return `${boxUrl}/#/signin?${new URLSearchParams({ token, next: route }).toString()}`
}

/** Brings a window to the front, even if it is minimised or hidden. */
export function bringToFront(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore()
  window.show()
  window.focus()
}
