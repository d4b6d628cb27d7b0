import type * as Electron from "electron"

/** Recorded by `record.cjs` in the program's main process. */
export interface DesktopRecord {
  trayMenu: Electron.Menu | undefined
  appMenu: Electron.Menu | null
  shortcuts: Map<string, () => void>
  popups: { popup: Electron.Notification; title: string }[]
  /** Next results of the directory chooser; if empty, it is cancelled. */
  directories: string[]
  /** Process ids. */
  children: number[]
  /** Addresses that the app asked to open in the user's own programs. */
  opened: string[]
  badge: number
}

declare global {
  var desktopRecord: DesktopRecord
}
