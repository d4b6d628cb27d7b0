import { app, nativeImage, type BrowserWindow } from "electron"
import { shippedImage } from "../shipped-image.ts"
import type { Strings } from "../strings/strings.ts"

/** Shows the unread count on the app's icon as a number, or on Windows as a dot with the number as its accessible description. */
export function setBadge(t: Strings, count: number, window: BrowserWindow | undefined): void {
  if (process.platform !== "win32") app.setBadgeCount(count)
  else if (count === 0) window?.setOverlayIcon(null, "")
  else window?.setOverlayIcon(nativeImage.createFromPath(shippedImage("badge.png")), t("unread", { count }))
}
