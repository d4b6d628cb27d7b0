import { BrowserWindow, dialog, Notification } from "electron"
import type { z } from "zod"
import type { Channels } from "../../shared/ipc.ts"

/** Opens the system's directory picker. */
export async function pickDirectory(): Promise<string | null> {
  const options: Electron.OpenDialogOptions = { properties: ["openDirectory", "createDirectory"] }
  const window = BrowserWindow.getFocusedWindow()
  const { filePaths } = await (window
    ? dialog.showOpenDialog(window, options)
    : dialog.showOpenDialog(options))
  return filePaths[0] ?? null
}

type Popup = z.output<Channels["showPopup"]["input"]>
type Outcome = z.input<Channels["showPopup"]["output"]>

/** Maximum wait, because systems don't always report that a popup was closed. */
const maxWaitMs = 10 * 60_000
/** Maximum open popups; the oldest are closed. */
const maxOpen = 10

/** By tag, oldest first. */
const open = new Map<string, Notification>()

/**
 * Shows a system notification, with buttons if the system supports them. On a click, `onClick` is called first, which brings the window to
 * the front.
 */
export function showPopup({ tag, title, body, actions }: Popup, onClick: () => void): Promise<Outcome> {
  if (!Notification.isSupported()) return Promise.resolve(null)
  const buttons = actions.map((text) => ({ type: "button" as const, text }))
  const popup = new Notification({ title, body, actions: buttons })
  closePopup(tag)
  open.set(tag, popup)
  for (const oldest of [...open.values()].slice(0, -maxOpen)) oldest.close()
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const timer = setTimeout(() => popup.close(), maxWaitMs)
  const end = (outcome: Outcome) => {
    clearTimeout(timer)
    if (open.get(tag) === popup) open.delete(tag)
    resolve(outcome)
  }
  popup.once("click", () => {
    onClick()
    end("opened")
  })
  popup.once("action", ({ actionIndex }) => end(actionIndex))
  popup.once("close", () => end(null))
  popup.once("failed", () => end(null))
  popup.show()
  return promise
}

/** Closes a popup if it is still shown. */
export const closePopup = (tag: string): void => open.get(tag)?.close()
