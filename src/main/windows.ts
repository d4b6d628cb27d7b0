import { BrowserWindow } from "electron"
import { windowOptions } from "./window-options.ts"

/** Opens the app's window on the page, signed in. */
export async function openMainWindow(boxUrl: string, signInToken: () => Promise<string>): Promise<void> {
  const window = new BrowserWindow(windowOptions)
  window.once("ready-to-show", () => window.show())
  await window.loadURL(`${boxUrl}/#/signin?token=${encodeURIComponent(await signInToken())}`)
}

/** Brings the app to the front; false when it has no window. */
export function showExistingWindow(): boolean {
  const [window] = BrowserWindow.getAllWindows()
  if (!window) return false
  if (window.isMinimized()) window.restore()
  window.show()
  window.focus()
  return true
}
