import { screen, type BrowserWindow, globalShortcut } from "electron"
import { wireName } from "../../shared/ipc-names.ts"
import { quickAskShape } from "./window-options.ts"
import { bringToFront, createWindow, signInAddress } from "./windows.ts"

export interface QuickAskWindow {
  /** Shows the window on the display with the pointer, or hides it if it is already in front. */
  toggle(): Promise<void>
  show(): Promise<void>
  hide(): void
  /** Closes the window. It is created again the next time it is opened. */
  discard(): void
}

/** A small window for one question. It is created on first use and then kept, so that it opens immediately. */
export function createQuickAskWindow({
  boxUrl,
  signInToken,
  prepare,
}: {
  boxUrl: string
  signInToken(): Promise<string>
  prepare(window: BrowserWindow): void
}): QuickAskWindow {
  let window: BrowserWindow | undefined

  async function open(): Promise<void> {
    const made = createWindow(quickAskShape)
    window = made
    made.once("closed", () => {
      window = undefined
    })
    prepare(made)
    made.once("ready-to-show", () => present(made))
    await made.loadURL(signInAddress(boxUrl, await signInToken(), "/quick-ask"))
  }

  function present(window: BrowserWindow): void {
    const { workArea } = screen.getDisplayNearestPoint(screen.getCursorScreenPoint())
    const { width, height } = window.getBounds()
    window.setBounds({
      x: Math.round(workArea.x + (workArea.width - width) / 2),
      y: Math.round(workArea.y + (workArea.height - height) / 4),
      width,
      height,
    })
    bringToFront(window)
    window.webContents.send(wireName("quickAskShown"))
  }

  const show = async () => (window ? present(window) : open())
  return {
    show,
    async toggle() {
      if (window?.isVisible() && window.isFocused()) window.hide()
      else await show()
    },
    hide: () => window?.hide(),
    discard: () => window?.destroy(),
  }
}

export interface QuickAskShortcut {
  /** Null if no shortcut is set. */
  readonly keys: string | null
  /** Whether the shortcut works; another program may already use it. */
  readonly registered: boolean
  change(keys: string | null): void
}

/** Registers the global shortcut that opens quick ask from any program. */
export function registerQuickAskShortcut(first: string | null, onPress: () => void): QuickAskShortcut {
  let keys: string | null = null
  let registered = false

  function change(next: string | null): void {
    if (keys !== null && registered) globalShortcut.unregister(keys)
    keys = next
    registered = next !== null && register(next)
  }

  function register(next: string): boolean {
    try {
      return globalShortcut.register(next, onPress)
    } catch {
      return false // invalid shortcut
    }
  }

  change(first)
  return {
    get keys() {
      return keys
    },
    get registered() {
      return registered
    },
    change,
  }
}
