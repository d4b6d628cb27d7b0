import type { DesktopChanges, DesktopOptions } from "../shared/ipc.ts"
import type { OpenDesktopSettings } from "./desktop-settings.ts"
import { opensAtLogin, setOpenAtLogin } from "./login-item.ts"
import type { QuickAskShortcut } from "./menus/quick-ask-shortcut.ts"
import { setSpellCheck, spellCheckLanguages } from "./menus/spell-check.ts"

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
