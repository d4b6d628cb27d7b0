import { useState } from "react"
import { shellBridge } from "./shell-bridge.ts"

export interface Popup {
  /** A popup with the same tag takes an earlier one's place, also that of another tab. */
  tag: string
  title: string
  body: string
}

type PopupPermission = NotificationPermission | "unsupported"

function popupPermission(): PopupPermission {
  if (shellBridge()) return "granted"
  return "Notification" in window ? window.Notification.permission : "unsupported"
}

/** Shows a popup of the system where the user has allowed it; a click brings the app to the front, then `onOpen`. */
export function showPopup({ tag, title, body }: Popup, onOpen: () => void): void {
  const shell = shellBridge()
  if (shell) {
    void shell.showPopup({ title, body }).then((clicked) => clicked && onOpen())
    return
  }
  if (popupPermission() !== "granted") return
  const popup = new window.Notification(title, { tag, body, icon: "/casella.svg" })
  popup.addEventListener("click", () => {
    window.focus()
    popup.close()
    onOpen()
  })
}

/** Whether popups are allowed, and how to ask for them. Only a click in settings asks. */
export function usePopupPermission(): [PopupPermission, () => void] {
  const [permission, setPermission] = useState(popupPermission)
  return [permission, () => void window.Notification.requestPermission().then(setPermission)]
}
