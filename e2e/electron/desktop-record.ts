import type * as Electron from "electron"

/** What `record.cjs` notes in the program's own process. */
export interface DesktopRecord {
  trayMenu: Electron.Menu | undefined
  appMenu: Electron.Menu | null
  shortcuts: Map<string, () => void>
  popups: { popup: Electron.Notification; title: string }[]
  /** What the directory chooser answers next; nothing means that it is cancelled. */
  directories: string[]
  /** Process ids. */
  children: number[]
  /** Addresses that were to open in the person's own programs. */
  opened: string[]
  badge: number
}

declare global {
  var desktopRecord: DesktopRecord
}
