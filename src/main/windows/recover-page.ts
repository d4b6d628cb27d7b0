import type { BrowserWindow } from "electron"
import { createCrashLimit } from "./crash-limit.ts"
import { failurePage } from "./failure-page.ts"
import type { Strings } from "../strings/strings.ts"

export interface RecoverPageOptions {
  window: BrowserWindow
  boxUrl: string
  strings: () => Strings
  log: (message: string) => void
}

/** Reloads a window's page when its process crashes. A page that keeps crashing is replaced by an error page. */
export function recoverPage({ window, boxUrl, strings, log }: RecoverPageOptions): void {
  const mayRetry = createCrashLimit()
  window.webContents.on("render-process-gone", (_event, { reason }) => {
    if (reason === "clean-exit") return
    log(`The page's process ended: ${reason}`)
    if (mayRetry()) window.webContents.reload()
    else void window.loadURL(failurePage(strings(), boxUrl, reason))
  })
}
