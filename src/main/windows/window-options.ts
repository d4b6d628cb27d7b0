import { fileURLToPath } from "node:url"
import type { BrowserWindowConstructorOptions } from "electron"

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
