import { app, screen, type BrowserWindow } from "electron"
import { wireName, type EventName } from "../../shared/ipc-names.ts"
import type { ShellEvents } from "../../shared/ipc.ts"
import type { OpenDesktopSettings } from "../desktop-settings.ts"
import { fitToDisplays, mainWindowShape } from "./window-options.ts"
import { bringToFront, createWindow, signInAddress } from "./windows.ts"

export interface MainWindow {
  /** Creates the window if there is none, and shows it unless `hidden` is set. */
  open(options?: { hidden?: boolean }): Promise<void>
  /** Brings the window to the front, and opens an in-app route if given. */
  show(route?: string): Promise<void>
  /** Loads the page with a new session, and shows the window. */
  signInAgain(): Promise<void>
  /** Returns the route that waits for the page, and clears it. */
  takeRoute(): string | null
  window(): BrowserWindow | undefined
  /** Sends an event to the page. Ignored if there is no window. */
  send<E extends EventName>(event: E, payload: ShellEvents[E]): void
}

export function createMainWindow({
  boxUrl,
  signInToken,
  settings,
  prepare,
}: {
  boxUrl: string
  signInToken(): Promise<string>
  settings: OpenDesktopSettings
  /** Called for each new window, before it loads anything. */
  prepare(window: BrowserWindow): void
}): MainWindow {
  let window: BrowserWindow | undefined
  let waitingRoute: string | null = null
  let quitting = false
  app.on("before-quit", () => {
    quitting = true
    if (window) remember(window)
  })

  function remember(window: BrowserWindow): void {
    settings.update({ placement: { ...window.getNormalBounds(), maximised: window.isMaximized() } })
  }

  function follow(window: BrowserWindow): void {
    window.on("close", (event) => {
      remember(window)
      if (quitting || !settings.current.keepRunning) return
      event.preventDefault()
      window.hide()
    })
    window.on("closed", () => gone())
  }

  function gone(): void {
    window = undefined
    if (!settings.current.keepRunning && process.platform !== "darwin") app.quit()
  }

  async function open({ hidden = false } = {}): Promise<void> {
    const { placement } = settings.current
    const areas = screen.getAllDisplays().map(({ workArea }) => workArea)
    const made = createWindow({ ...mainWindowShape, ...fitToDisplays(areas, placement) })
    window = made
    follow(made)
    prepare(made)
    made.once("show", () => {
      if (placement?.maximised) made.maximize()
    })
    made.once("ready-to-show", () => {
      if (!hidden) made.show()
    })
    await made.loadURL(signInAddress(boxUrl, await signInToken()))
  }

  return {
    open,
    async show(route) {
      if (route !== undefined) waitingRoute = route
      if (!window) return open()
      bringToFront(window)
      if (route !== undefined) window.webContents.send(wireName("routeWaiting"))
    },
    async signInAgain() {
      if (!window) return open()
      bringToFront(window)
      await window.loadURL(signInAddress(boxUrl, await signInToken()))
    },
    takeRoute() {
      const route = waitingRoute
      waitingRoute = null
      return route
    },
    window: () => window,
    send: (event, payload) => window?.webContents.send(wireName(event), payload),
  }
}
