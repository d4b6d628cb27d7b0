import { BrowserWindow, dialog } from "electron"

/** Opens the system's directory picker. */
export async function pickDirectory(): Promise<string | null> {
  const options: Electron.OpenDialogOptions = { properties: ["openDirectory", "createDirectory"] }
  const window = BrowserWindow.getFocusedWindow()
  const { filePaths } = await (window
    ? dialog.showOpenDialog(window, options)
    : dialog.showOpenDialog(options))
  return filePaths[0] ?? null
}
