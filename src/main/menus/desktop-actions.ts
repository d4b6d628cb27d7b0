/** What menus and the tray do. */
export interface DesktopActions {
  open(): void
  /** Opens the main window on an in-app route. */
  openRoute(route: string): void
  quickAsk(): void
  setQuiet(quiet: boolean): void
  setKeepRunning(keepRunning: boolean): void
  setOpenAtLogin(openAtLogin: boolean): void
  checkForUpdates(): void
  installUpdate(): void
  quit(): void
}
