import { useState } from "react"
import { shellBridge } from "./shell-bridge.ts"

export interface Popup {
  /** A popup replaces an earlier one with the same tag, even from another tab. */
  tag: string
  title: string
  body: string
  /** Labels of its buttons, if the system shows any. */
  actions: string[]
}

type PopupPermission = NotificationPermission | "unsupported"

function popupPermission(): PopupPermission {
  if (shellBridge()) return "granted"
  return "Notification" in window ? window.Notification.permission : "unsupported"
}

/** Browser popups that are still shown, by tag. */
const shown = new Map<string, Notification>()

/**
 * Shows a system popup if the user has allowed it. A click brings the app to the front and calls `onOpen`; a button calls it with the
 * button's index. Browsers show no buttons.
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

/** Closes a popup if it is still shown. */
export function closePopup(tag: string): void {
  void shellBridge()?.closePopup(tag)
  shown.get(tag)?.close()
}

/** Whether popups are allowed, and a function that asks for permission. It is only called on a click in the settings. */
export function usePopupPermission(): [PopupPermission, () => void] {
  const [permission, setPermission] = useState(popupPermission)
  return [permission, () => void window.Notification.requestPermission().then(setPermission)]
}
