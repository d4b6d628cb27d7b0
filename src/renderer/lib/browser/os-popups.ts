import { useState } from "react"
import { shellBridge } from "./shell-bridge.ts"

export interface Popup {
  /** A popup with the same tag takes an earlier one's place, also that of another tab. */
  tag: string
  title: string
  body: string
  /** Labels of its buttons, where the system shows some. */
  actions: string[]
}

type PopupPermission = NotificationPermission | "unsupported"

function popupPermission(): PopupPermission {
  if (shellBridge()) return "granted"
  return "Notification" in window ? window.Notification.permission : "unsupported"
}

/** Those of the browser that are still shown, by tag. */
const shown = new Map<string, Notification>()

/**
 * Shows a popup of the system where the user has allowed it. A click brings the app to the front, then calls `onOpen`; a
 * button, which browsers don't have, calls it with its place.
 */
export function showPopup(popup: Popup, onOpen: (action?: number) => void): void {
  const shell = shellBridge()
  if (shell) {
    void shell
      .showPopup(popup)
      .then((outcome) => outcome !== null && onOpen(outcome === "opened" ? undefined : outcome))
    return
  }
  if (popupPermission() !== "granted") return
  const { tag, title, body } = popup
  const made = new window.Notification(title, { tag, body, icon: "/casella.svg" })
  shown.set(tag, made)
  made.addEventListener("close", () => shown.get(tag) === made && shown.delete(tag))
  made.addEventListener("click", () => {
    window.focus()
    made.close()
    onOpen()
  })
}

/** Takes a popup away that is still shown. */
export function closePopup(tag: string): void {
  void shellBridge()?.closePopup(tag)
  shown.get(tag)?.close()
}

/** Whether popups are allowed, and how to ask for them. Only a click in settings asks. */
export function usePopupPermission(): [PopupPermission, () => void] {
  const [permission, setPermission] = useState(popupPermission)
  return [permission, () => void window.Notification.requestPermission().then(setPermission)]
}
