import { EventEmitter } from "node:events"
import { expect, test } from "vitest"
import type { UpdateState } from "../../shared/ipc.ts"
import { createUpdates, type Updater, watchUpdater } from "./updates.ts"

class ScriptedUpdater extends EventEmitter implements Updater {
  calls: string[] = []
  newest: string | null = "2.0.0"
  failure: Error | undefined

  async checkForUpdates() {
    this.calls.push("check")
    if (this.failure) throw this.failure
    return this.newest === null ? null : { isUpdateAvailable: true, updateInfo: { version: this.newest } }
  }

  async downloadUpdate() {
    this.calls.push("download")
    this.emit("download-progress", { percent: 41.6 })
    if (this.failure) throw this.failure
  }

  cancelDownload() {
    this.calls.push("cancel")
  }

  quitAndInstall() {
    this.calls.push("install")
  }
}

function setUp() {
  const updater = new ScriptedUpdater()
  const seen: UpdateState[] = []
  const updates = createUpdates(updater, (state) => seen.push(state))
  return { updater, updates, seen }
}

// Catches a download or restart that the user didn't request.
test("waits for the user before each step", async () => {
  const { updater, updates, seen } = setUp()
  expect(await updates.check()).toEqual({ status: "available", version: "2.0.0" })
  expect(updater.calls).toEqual(["check"])
  expect(await updates.install()).toEqual({ status: "ready", version: "2.0.0" })
  expect(updater.calls).toEqual(["check", "download"])
  expect(seen).toContainEqual({ status: "downloading", version: "2.0.0", percent: 42 })
  await updates.install()
  expect(updater.calls).toEqual(["check", "download", "install"])
})

test("reports that nothing is newer or the feed doesn't respond, and can check again", async () => {
  const { updater, updates } = setUp()
  updater.newest = null
  expect(await updates.check()).toEqual({ status: "current" })
  updater.failure = new Error("net::ERR_NAME_NOT_RESOLVED")
  expect(await updates.check()).toEqual({ status: "failed", message: "net::ERR_NAME_NOT_RESOLVED" })
  updater.failure = undefined
  updater.newest = "2.0.0"
  expect(await updates.check()).toMatchObject({ status: "available" })
})

test("reports a failed download and doesn't install it", async () => {
  const { updater, updates } = setUp()
  await updates.check()
  updater.failure = new Error("checksum")
  expect(await updates.install()).toEqual({ status: "failed", message: "checksum" })
  await updates.install()
  expect(updater.calls).not.toContain("install")
})

test("makes no requests without an updater", async () => {
  const updates = createUpdates(null, () => undefined)
  expect(await updates.check()).toEqual({ status: "off" })
  expect(await updates.install()).toEqual({ status: "off" })
})

// Catches an update check while local-only is on, and one that is missing from the list of connections.
test("records an updater's connections, and refuses them in advance in local-only mode", async () => {
  const ends: string[] = []
  const updater = new ScriptedUpdater()
  let refused = false
  const watched = watchUpdater(updater, () => {
    if (refused) throw new Error("Casella is local-only.")
    return { end: (outcome) => ends.push(outcome) }
  })
  const updates = createUpdates(watched, () => undefined)
  await updates.check()
  updater.failure = new Error("broken")
  await updates.install()
  expect(ends).toEqual(["ok", "failed"])
  refused = true
  expect(await updates.check()).toEqual({ status: "failed", message: "Casella is local-only." })
  updates.halt()
  expect(updater.calls).toEqual(["check", "download", "cancel"])
})
