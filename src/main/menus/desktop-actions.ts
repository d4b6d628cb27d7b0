/** Actions of the menus and the tray. */
export interface DesktopActions {
  open(): void
  /** Opens an in-app route in the main window. */
  openRoute(route: string): void
  quickAsk(): void
  setQuiet(quiet: boolean): void
  setKeepRunning(keepRunning: boolean): void
  setOpenAtLogin(openAtLogin: boolean): void
  checkForUpdates(): void
  installUpdate(): void
  quit(): void
}
