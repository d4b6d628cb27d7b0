import { Menu, nativeImage, Tray, type MenuItemConstructorOptions } from "electron"
import type { UpdateState } from "../../shared/ipc.ts"
import type { DesktopActions } from "./desktop-actions.ts"
import { shippedImage } from "../shipped-image.ts"
import type { Strings } from "../strings/strings.ts"

export interface TrayState {
  quiet: boolean
  unread: number
  keepRunning: boolean
  openAtLogin: boolean
  update: UpdateState
}

/** Creates the tray icon. Call `draw` again after its content changes. */
export function createTray(actions: DesktopActions) {
  const tray = new Tray(nativeImage.createFromPath(shippedImage(trayImage())))
  tray.on("click", () => {
    if (process.platform !== "darwin") actions.open()
  })
  return {
    draw(t: Strings, state: TrayState): void {
      tray.setToolTip(state.unread === 0 ? "Casella" : `Casella · ${t("unread", { count: state.unread })}`)
      tray.setContextMenu(Menu.buildFromTemplate(trayMenu(t, state, actions)))
    },
  }
}

function trayImage(): string {
  if (process.platform === "darwin") return "trayTemplate.png"
  return process.platform === "win32" ? "tray.ico" : "tray.png"
}

function trayMenu(t: Strings, state: TrayState, actions: DesktopActions): MenuItemConstructorOptions[] {
  return [
    { label: t("open"), click: () => actions.open() },
    { label: t("newChat"), click: () => actions.openRoute("/") },
    { label: t("quickAsk"), click: () => actions.quickAsk() },
    { type: "separator" },
    {
      label: t("doNotDisturb"),
      type: "checkbox",
      checked: state.quiet,
      click: ({ checked }) => actions.setQuiet(checked),
    },
    {
      label: t("keepRunning"),
      type: "checkbox",
      checked: state.keepRunning,
      click: ({ checked }) => actions.setKeepRunning(checked),
    },
    {
      label: t("openAtLogin"),
      type: "checkbox",
      checked: state.openAtLogin,
      click: ({ checked }) => actions.setOpenAtLogin(checked),
    },
    { type: "separator" },
    ...updateItem(t, state.update, actions),
    { label: t("quit"), click: () => actions.quit() },
  ]
}

function updateItem(t: Strings, update: UpdateState, actions: DesktopActions): MenuItemConstructorOptions[] {
  if (update.status !== "available" && update.status !== "ready") return []
  const label = t(update.status === "ready" ? "restartToUpdate" : "update", { version: update.version })
  return [{ label, click: () => actions.installUpdate() }]
}
