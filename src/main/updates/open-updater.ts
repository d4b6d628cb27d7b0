import { createPublicKey } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { app } from "electron"
import { requireSignature } from "./signed-release.ts"
import type { Updater } from "./updates.ts"

/**
 * Opens the updater for a feed: `CASELLA_UPDATES_FEED`, or `updates.feed` in desktop.json. Returns null without a feed, and in a copy that
 * isn't installed. Refuses feeds that anyone on the network could impersonate, and releases that aren't signed with Casella's own key.
 */
export async function openUpdater(feed: string | null): Promise<Updater | null> {
  if (feed === null || !app.isPackaged) return null
  if (!isSafeFeed(feed)) throw new Error(`Updates come over https only, not from ${feed}.`)
  const keyPath = join(app.getAppPath(), "resources", "update-key.pem")
  if (!existsSync(keyPath)) throw new Error("This copy has no key to check updates with.")
  const { default: electronUpdater } = await import("electron-updater")
  const { autoUpdater, CancellationToken } = electronUpdater
  autoUpdater.setFeedURL({ provider: "generic", url: feed })
  const signed = requireSignature(autoUpdater, createPublicKey(readFileSync(keyPath)))
  autoUpdater.logger = null
  autoUpdater.on("error", () => undefined) // the promises report it too
  let download: InstanceType<typeof CancellationToken> | undefined
  return {
    checkForUpdates: () => autoUpdater.checkForUpdates(),
    downloadUpdate() {
      download = new CancellationToken()
      return signed.downloadUpdate(download)
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
