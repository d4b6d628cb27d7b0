import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { app } from "electron"
import type { DesktopChanges, DesktopOptions } from "../shared/ipc.ts"
import type { OpenDesktopSettings } from "./desktop-settings.ts"
import { setSpellCheck, spellCheckLanguages } from "./spell-check.ts"
import type { QuickAskShortcut } from "./windows/quick-ask-window.ts"

/** Set when the system starts the program at login. The window stays hidden until the user opens it. */
const hiddenFlag = "--hidden"

export const opensAtLogin = (): boolean =>
  process.platform === "linux"
    ? existsSync(autostartPath())
    : app.getLoginItemSettings({ args: [hiddenFlag] }).openAtLogin

function setOpenAtLogin(openAtLogin: boolean): void {
  if (process.platform === "linux") setAutostart(openAtLogin)
  else app.setLoginItemSettings({ openAtLogin, args: [hiddenFlag] })
}

export const wasOpenedAtLogin = (): boolean =>
  process.argv.includes(hiddenFlag) ||
  (process.platform === "darwin" && app.getLoginItemSettings().wasOpenedAtLogin)

/** XDG autostart, because Electron doesn't support Linux here. */
const autostartPath = () => join(app.getPath("appData"), "autostart", "casella.desktop")

function setAutostart(openAtLogin: boolean): void {
  if (!openAtLogin) {
    rmSync(autostartPath(), { force: true })
    return
  }
  const program = process.env["APPIMAGE"] ?? process.execPath
  const args = app.isPackaged ? [program, hiddenFlag] : [program, app.getAppPath(), hiddenFlag]
  mkdirSync(join(app.getPath("appData"), "autostart"), { recursive: true })
  writeFileSync(autostartPath(), desktopEntry(args))
}

/** Escapes arguments as required by the Desktop Entry Specification, "The Exec key". */
function desktopEntry(args: string[]): string {
  const exec = args.map(
    (argument) =>
      `"${argument
        .replace(/["`$\\]/g, "\\$&")
        .replaceAll("\\", "\\\\")
        .replaceAll("%", "%%")}"`,
  )
  return `[Desktop Entry]\nType=Application\nName=Casella\nExec=${exec.join(" ")}\nTerminal=false\n`
}

/** The desktop settings that the settings page shows and changes. */
export function createDesktopOptions(settings: OpenDesktopSettings, shortcut: QuickAskShortcut) {
  function read(): DesktopOptions {
    const { chosen, available } = spellCheckLanguages()
    return {
      openAtLogin: opensAtLogin(),
      keepRunning: settings.current.keepRunning,
      quickAskShortcut: shortcut.keys,
      quickAskRegistered: shortcut.registered,
      spellCheckLanguages: chosen,
      availableSpellCheckLanguages: available,
    }
  }

  return {
    read,
    change({
      openAtLogin,
      keepRunning,
      quickAskShortcut,
      spellCheckLanguages,
    }: DesktopChanges): DesktopOptions {
      if (openAtLogin !== undefined) setOpenAtLogin(openAtLogin)
      if (keepRunning !== undefined) settings.update({ keepRunning })
      if (quickAskShortcut !== undefined) {
        shortcut.change(quickAskShortcut)
        settings.update({ quickAskShortcut })
      }
      if (spellCheckLanguages !== undefined) {
        setSpellCheck(spellCheckLanguages)
        settings.update({ spellCheckLanguages })
      }
      return read()
    },
  }
}
