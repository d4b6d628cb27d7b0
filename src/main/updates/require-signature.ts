import { rm } from "node:fs/promises"
import type { KeyObject } from "node:crypto"
import type { AppUpdater, CancellationToken } from "electron-updater"
import { checkFiles, checkRelease, type SignedRelease } from "./signed-release.ts"

/**
 * Restricts an updater to Casella's own releases. The feed's metadata is verified before the download, and the downloaded file before it
 * may be installed.
 */
export function requireSignature(updater: AppUpdater, key: KeyObject, platform: string = process.platform) {
  let release: SignedRelease | undefined
  const isSupported = updater.isUpdateSupported
  updater.allowDowngrade = false
  updater.autoDownload = false
  updater.autoInstallOnAppQuit = false
  updater.isUpdateSupported = (info) => {
    release = undefined
    release = checkRelease(info, { key, platform, current: updater.currentVersion.version })
    return isSupported(info)
  }
  return {
    async downloadUpdate(cancellation: CancellationToken): Promise<void> {
      if (release === undefined) throw new Error("No signed update was found.")
      const paths = await updater.downloadUpdate(cancellation)
      await checkFiles(paths, release).catch(async (error: unknown) => {
        await Promise.all(paths.map((path) => rm(path, { force: true })))
        throw error
      })
    },
  }
}
