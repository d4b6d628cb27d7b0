import { fileURLToPath } from "node:url"
import type { BrowserWindowConstructorOptions } from "electron"

/** Every window is a plain web page: no Node, no access to the preload's world, a sandboxed process. */
export const windowOptions: BrowserWindowConstructorOptions = {
  width: 1280,
  height: 800,
  minWidth: 640,
  minHeight: 480,
  show: false,
  title: "Casella",
  autoHideMenuBar: true,
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
