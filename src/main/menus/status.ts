import type { BrowserWindow } from "electron"
import type { OpenDesktopSettings } from "../desktop-settings.ts"
import { opensAtLogin } from "../login-item.ts"
import type { Strings } from "../strings/strings.ts"
import type { Updates } from "../updates/updates.ts"
import { setAppMenu } from "./app-menu.ts"
import { setBadge } from "./badge.ts"
import type { DesktopActions } from "./desktop-actions.ts"
import { createTray } from "./tray.ts"

export interface StatusDeps {
  strings(): Strings
  settings: OpenDesktopSettings
  actions: DesktopActions
  updates: Pick<Updates, "state">
  window(): BrowserWindow | undefined
}

/** Keeps the menu, the tray and the badge up to date. */
export function createStatus({ strings, settings, actions, updates, window }: StatusDeps) {
  const tray = createTray(actions)
  let shown = { quiet: false, unread: 0 }

  function draw(): void {
    const t = strings()
    setAppMenu(t, actions, { updates: updates.state.status !== "off" })
    const { keepRunning } = settings.current
    tray.draw(t, { ...shown, keepRunning, openAtLogin: opensAtLogin(), update: updates.state })
    setBadge(t, shown.unread, window())
  }

  return {
    draw,
    set(changes: Partial<typeof shown>): void {
      shown = { ...shown, ...changes }
      draw()
    },
  }
}
