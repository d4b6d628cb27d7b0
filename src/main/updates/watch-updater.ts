import type { Noted } from "../../box/core/outbound/outbound.ts"
import type { Updater } from "./updates.ts"

/** Wraps an updater so that its connections are recorded. `note` throws while local-only is on, and then no request is made. */
export function watchUpdater(updater: Updater, note: () => Pick<Noted, "end">): Updater {
  async function noted<T>(work: () => Promise<T>): Promise<T> {
    const connection = note()
    try {
      const result = await work()
      connection.end("ok")
      return result
    } catch (error) {
      connection.end("failed")
      throw error
    }
  }
  return {
    checkForUpdates: () => noted(() => updater.checkForUpdates()),
    downloadUpdate: () => noted(() => updater.downloadUpdate()),
    cancelDownload: () => updater.cancelDownload(),
    quitAndInstall: () => updater.quitAndInstall(),
    on: (event, listener) => updater.on(event, listener),
  }
}
