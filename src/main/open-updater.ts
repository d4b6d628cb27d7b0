import { app } from "electron"
import type { Updater } from "./updates.ts"

/**
 * The updater for a feed: `CASELLA_UPDATES_FEED`, or `updates.feed` in desktop.json. Null without one, and in a copy
 * that wasn't installed. A feed that anyone on the network could answer for is refused.
 */
export async function openUpdater(feed: string | null): Promise<Updater | null> {
  if (feed === null || !app.isPackaged) return null
  if (!isSafeFeed(feed)) throw new Error(`Updates come over https only, not from ${feed}.`)
  const { default: electronUpdater } = await import("electron-updater")
  const { autoUpdater, CancellationToken } = electronUpdater
  autoUpdater.setFeedURL({ provider: "generic", url: feed })
  autoUpdater.autoDownload = false
  autoUpdater.autoInstallOnAppQuit = false
  autoUpdater.allowDowngrade = false
  autoUpdater.logger = null
  autoUpdater.on("error", () => undefined) // the promises say it too
  let download: InstanceType<typeof CancellationToken> | undefined
  return {
    checkForUpdates: () => autoUpdater.checkForUpdates(),
    downloadUpdate() {
      download = new CancellationToken()
      return autoUpdater.downloadUpdate(download)
    },
    cancelDownload: () => download?.cancel(),
    quitAndInstall: () => autoUpdater.quitAndInstall(),
    on: (event, listener) => autoUpdater.on(event, listener),
  }
}

export const chosenFeed = (fromSettings: string | null): string | null =>
  process.env["CASELLA_UPDATES_FEED"] || fromSettings

function isSafeFeed(feed: string): boolean {
  const parsed = URL.parse(feed)
  return (
    parsed?.protocol === "https:" ||
    (parsed?.protocol === "http:" && ["127.0.0.1", "localhost"].includes(parsed.hostname))
  )
}
