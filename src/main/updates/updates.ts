import type { Noted } from "../../box/core/outbound/outbound.ts"
import type { UpdateState } from "../../shared/ipc.ts"

/** The part of electron-updater that is used. */
export interface Updater {
  checkForUpdates(): Promise<{ isUpdateAvailable: boolean; updateInfo: { version: string } } | null>
  downloadUpdate(): Promise<unknown>
  /** Cancels a running download. */
  cancelDownload(): void
  quitAndInstall(): void
  on(event: "download-progress", listener: (progress: { percent: number }) => void): unknown
}

export interface Updates {
  readonly state: UpdateState
  /** Checks the feed and resolves to the result. Does nothing while a download runs. */
  check(): Promise<UpdateState>
  /** Downloads an available update, or installs one that is ready. Does nothing in any other state. */
  install(): Promise<UpdateState>
  /** Cancels a running download because local-only was switched on. */
  halt(): void
}

/** Checks for new versions, and downloads and installs them only when the user says so. Off without an updater. */
export function createUpdates(updater: Updater | null, changed: (state: UpdateState) => void): Updates {
  let state: UpdateState = { status: updater ? "idle" : "off" }

  function set(next: UpdateState): UpdateState {
    state = next
    changed(next)
    return next
  }

  const fail = (error: unknown) =>
    set({ status: "failed", message: error instanceof Error ? error.message : String(error) })

  updater?.on("download-progress", ({ percent }) => {
    if (state.status === "downloading") set({ ...state, percent: Math.round(percent) })
  })

  async function check(updater: Updater): Promise<UpdateState> {
    set({ status: "checking" })
    try {
      const found = await updater.checkForUpdates()
      return set(
        found?.isUpdateAvailable
          ? { status: "available", version: found.updateInfo.version }
          : { status: "current" },
      )
    } catch (error) {
      return fail(error)
    }
  }

  async function download(updater: Updater, version: string): Promise<UpdateState> {
    set({ status: "downloading", version, percent: 0 })
    try {
      await updater.downloadUpdate()
      return set({ status: "ready", version })
    } catch (error) {
      return fail(error)
    }
  }

  return {
    get state() {
      return state
    },
    async check() {
      const busy = state.status === "checking" || state.status === "downloading" || state.status === "ready"
      return updater && !busy ? check(updater) : state
    },
    async install() {
      if (updater && state.status === "available") return download(updater, state.version)
      if (updater && state.status === "ready") updater.quitAndInstall()
      return state
    },
    halt: () => updater?.cancelDownload(),
  }
}

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
