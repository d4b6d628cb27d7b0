import { BrowserWindow, type BrowserWindowConstructorOptions } from "electron"
import { windowOptions } from "./window-options.ts"

/** The one place where windows are made, so that none has more rights than the others. */
export function createWindow(shape: BrowserWindowConstructorOptions): BrowserWindow {
  return new BrowserWindow({ ...shape, ...windowOptions })
}

/** Address that signs the page in and then shows an in-app route. */
export function signInAddress(boxUrl: string, token: string, route = "/"): string {
  return `${boxUrl}/#/signin?${new URLSearchParams({ token, next: route }).toString()}`
}

/** Brings a window to the front, wherever it is. */
export function bringToFront(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore()
  window.show()
  window.focus()
}
