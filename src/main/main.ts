import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { app, dialog } from "electron"
import { readConfig, type BoxConfig } from "../box/box-config.ts"
import { claimDataDirectory } from "../box/core/data-directory/claim.ts"
import { findLanguage } from "../shared/languages.ts"
import { collectLinks, createDesktopLog, restartAfterFault } from "./app-lifecycle.ts"
import { openDesktopSettings, type OpenDesktopSettings } from "./desktop-settings.ts"
import { readFlags } from "./arguments.ts"
import { hostResolverRules } from "./guards/allowed-addresses.ts"
import { chosenFeed } from "./updates/open-updater.ts"
import { startDesktop } from "./start-desktop.ts"
import { createStrings } from "./strings/strings.ts"

process.umask(0o077) // only the current user may read what the program and its children write
try {
  begin(readConfig(readFlags(process.argv.slice(app.isPackaged ? 1 : 2))))
} catch (error) {
  void explainAndQuit(error)
}

/** Allows one program per data directory: the directory contains Electron's profile, which contains the single-instance lock. */
function begin(config: BoxConfig): void {
  claimDataDirectory(config.dataDir)
  const profile = join(config.dataDir, "desktop")
  mkdirSync(profile, { recursive: true, mode: 0o700 })
  app.setPath("userData", profile)
  app.enableSandbox()
  if (!app.requestSingleInstanceLock()) {
    app.quit()
    return
  }
  const settings = openDesktopSettings(join(profile, "desktop.json"))
  const { host: boxHost, localOnly } = config
  const feed = chosenFeed(settings.current.updates.feed)
  const rules = hostResolverRules({ boxHost, feed, localOnly, platform: process.platform })
  app.commandLine.appendSwitch("host-resolver-rules", rules) // Electron reads this once, before it is ready
  const followLinks = collectLinks()
  app
    .whenReady()
    .then(() => start(config, settings, followLinks))
    .catch(explainAndQuit)
}

async function start(
  config: BoxConfig,
  settings: OpenDesktopSettings,
  followLinks: ReturnType<typeof collectLinks>,
): Promise<void> {
  let strings = await createStrings(
    settings.current.language ?? findLanguage(app.getPreferredSystemLanguages()),
  )
  const logPath = join(config.dataDir, "logs", "desktop.log")
  const log = createDesktopLog(logPath)
  restartAfterFault({ strings: () => strings, log, logPath })
  await startDesktop({
    config,
    settings,
    log,
    strings: () => strings,
    followLinks,
    async changeLanguage(language) {
      strings = await createStrings(language)
    },
  })
}

async function explainAndQuit(error: unknown): Promise<void> {
  const t = await createStrings(findLanguage(app.getPreferredSystemLanguages()))
  const { message, code } = error as Error & { code?: string }
  dialog.showErrorBox(t("cantStart"), code === "EADDRINUSE" ? t("portTaken") : message)
  app.exit(2)
}
