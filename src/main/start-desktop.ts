import { app, dialog, shell, type BrowserWindow } from "electron"
import type { BoxConfig } from "../box/box-config.ts"
import { builtPage } from "../box/commands/run-box.ts"
import { redirectTemporaryFiles } from "../box/core/files/temporary-files.ts"
import { startBox, type RunningBox } from "../box/start-box.ts"
import type { UpdateState } from "../shared/ipc.ts"
import type { Language } from "../shared/languages.ts"
import { type FollowLink, relaunchAfterEnd } from "./app-lifecycle.ts"
import { addContextMenu, type DesktopActions, createStatus } from "./menus.ts"
import { createDesktopOptions, wasOpenedAtLogin } from "./desktop-options.ts"
import type { OpenDesktopSettings } from "./desktop-settings.ts"
import { pickDirectory, closePopup, showPopup } from "./ipc/system-dialogs.ts"
import { registerChannels } from "./ipc/register.ts"
import { lockDown } from "./guards/lock-down.ts"
import { createMainWindow } from "./windows/main-window.ts"
import { createOpenExternal } from "./guards/allowed-addresses.ts"
import { chosenFeed, openUpdater } from "./updates/open-updater.ts"
import { registerQuickAskShortcut, createQuickAskWindow } from "./windows/quick-ask-window.ts"
import { recoverPage } from "./windows/recover-page.ts"
import { systemSeal, spawnUtilityChild, stopWithApp } from "./host-box.ts"
import { setSpellCheck, watchDictionaries } from "./spell-check.ts"
import { watchUpdater, createUpdates } from "./updates/updates.ts"
import type { Strings } from "./strings/strings.ts"

export interface DesktopOptions {
  config: BoxConfig
  settings: OpenDesktopSettings
  log(message: string): void
  strings(): Strings
  changeLanguage(language: Language): Promise<void>
  /** Starts following links, beginning with one that arrived earlier. */
  followLinks(follow: FollowLink): void
}

const updateCheckMs = 24 * 60 * 60_000

/** Starts the box and all desktop parts around its page. No other file of the shell knows every part. */
export async function startDesktop(options: DesktopOptions): Promise<void> {
  const { config, settings, log, strings } = options
  const box = await openBox(config)
  setSpellCheck(settings.current.spellCheckLanguages)

  const later = (promise: Promise<unknown>) => {
    promise.catch((error: unknown) => log(`Failed: ${String(error)}`))
  }
  const signInToken = () => box.signInToken()
  const prepare = (window: BrowserWindow) => {
    recoverPage({ window, boxUrl: box.url, strings, log })
    addContextMenu(window, strings)
  }
  const main = createMainWindow({ boxUrl: box.url, signInToken, settings, prepare })
  const quickAsk = createQuickAskWindow({ boxUrl: box.url, signInToken, prepare })
  const shortcut = registerQuickAskShortcut(settings.current.quickAskShortcut, () => later(quickAsk.toggle()))
  const desktopOptions = createDesktopOptions(settings, shortcut)
  const updates = await openUpdates(box, settings.current.updates.feed, log, (state) => {
    main.send("updateChanged", state)
    if (state.status === "available") later(box.updateAvailable(state.version))
    status.draw()
  })

  box.onLocalOnly(() => {
    if (box.outbound.refusal() !== null) updates.halt()
  })

  const changeOptions: typeof desktopOptions.change = (changes) => {
    const changed = desktopOptions.change(changes)
    status.draw()
    return changed
  }
  const actions: DesktopActions = {
    open: () => later(main.show()),
    openRoute: (route) => later(main.show(route)),
    quickAsk: () => later(quickAsk.show()),
    setQuiet: (next) => main.send("quietChanged", next),
    setKeepRunning: (keepRunning) => changeOptions({ keepRunning }),
    setOpenAtLogin: (openAtLogin) => changeOptions({ openAtLogin }),
    checkForUpdates: () => later(updates.check()),
    installUpdate: () => later(updates.install()),
    quit: () => app.quit(),
  }
  const status = createStatus({ strings, settings, actions, updates, window: () => main.window() })

  registerChannels(box.url, {
    pickDirectory,
    showPopup: (popup) => showPopup(popup, actions.open),
    closePopup,
    takeRoute: () => main.takeRoute(),
    openInMain(route) {
      quickAsk.hide()
      actions.openRoute(route)
    },
    hideQuickAsk: () => quickAsk.hide(),
    async signInAgain() {
      quickAsk.discard()
      await main.signInAgain()
    },
    async setLanguage(language) {
      settings.update({ language })
      await options.changeLanguage(language)
      status.draw()
    },
    setUnreadCount(count) {
      status.set({ unread: count })
    },
    setQuiet(next) {
      status.set({ quiet: next })
    },
    desktopOptions: () => desktopOptions.read(),
    changeDesktopOptions: changeOptions,
    updateState: () => updates.state,
    checkForUpdates: () => updates.check(),
    installUpdate: () => updates.install(),
    async captureWindow() {
      const image = await main.window()?.webContents.capturePage()
      return image === undefined || image.isEmpty() ? null : image.toDataURL()
    },
    relaunch() {
      relaunchAfterEnd()
      app.quit()
    },
  })
  app.on("activate", actions.open)
  app.on("window-all-closed", () => undefined) // the main window decides whether the program ends when it closes
  status.draw()

  app.setAsDefaultProtocolClient("casella")
  await main.open({ hidden: wasOpenedAtLogin() })
  options.followLinks((route) => later(main.show(route ?? undefined)))
  if (shortcut.keys !== null && !shortcut.registered) later(sayTakenShortcut(strings(), shortcut.keys))
  checkForUpdates()
  setInterval(checkForUpdates, updateCheckMs).unref()

  /** In local-only mode, skip the check, so that no refusal is reported every day. */
  function checkForUpdates(): void {
    if (box.outbound.refusal() === null) later(updates.check())
  }
}

/** Starts this program's box, and restricts its page to what it needs. */
async function openBox(config: BoxConfig) {
  redirectTemporaryFiles(config.dataDir)
  const box = await startBox(config, {
    pageDir: builtPage,
    spawn: spawnUtilityChild,
    seal: await systemSeal(),
  })
  stopWithApp(box)
  lockDown(
    box.url,
    createOpenExternal((address) => shell.openExternal(address)),
  )
  watchDictionaries(box)
  return box
}

async function openUpdates(
  box: Pick<RunningBox, "outbound">,
  chosen: string | null,
  log: DesktopOptions["log"],
  onState: (state: UpdateState) => void,
) {
  const feed = chosenFeed(chosen)
  const updater = await openUpdater(feed).catch((error: unknown) => {
    log(`No updates: ${String(error)}`)
    return null
  })
  const note = () => box.outbound.noteForeign("update", feed ?? "")
  return createUpdates(updater && watchUpdater(updater, note), onState)
}

const sayTakenShortcut = (t: Strings, shortcut: string) =>
  dialog.showMessageBox({
    type: "info",
    message: t("shortcutTaken"),
    detail: t("shortcutTakenDetail", { shortcut }),
  })
