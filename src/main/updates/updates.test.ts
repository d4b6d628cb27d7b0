import { EventEmitter } from "node:events"
import { expect, test } from "vitest"
import type { UpdateState } from "../../shared/ipc.ts"
import { createUpdates, type Updater } from "./updates.ts"
import { watchUpdater } from "./watch-updater.ts"

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

// Would catch a download, or a restart, that no one asked for.
test("each step waits for the person", async () => {
  const { updater, updates, seen } = setUp()
  expect(await updates.check()).toEqual({ status: "available", version: "2.0.0" })
  expect(updater.calls).toEqual(["check"])
  expect(await updates.install()).toEqual({ status: "ready", version: "2.0.0" })
  expect(updater.calls).toEqual(["check", "download"])
  expect(seen).toContainEqual({ status: "downloading", version: "2.0.0", percent: 42 })
  await updates.install()
  expect(updater.calls).toEqual(["check", "download", "install"])
})

test("nothing newer, and a feed that doesn't answer, are said and can be asked again", async () => {
  const { updater, updates } = setUp()
  updater.newest = null
  expect(await updates.check()).toEqual({ status: "current" })
  updater.failure = new Error("net::ERR_NAME_NOT_RESOLVED")
  expect(await updates.check()).toEqual({ status: "failed", message: "net::ERR_NAME_NOT_RESOLVED" })
  updater.failure = undefined
  updater.newest = "2.0.0"
  expect(await updates.check()).toMatchObject({ status: "available" })
})

test("a failed download is said, and isn't installed", async () => {
  const { updater, updates } = setUp()
  await updates.check()
  updater.failure = new Error("checksum")
  expect(await updates.install()).toEqual({ status: "failed", message: "checksum" })
  await updates.install()
  expect(updater.calls).not.toContain("install")
})

test("without an updater nothing is ever asked for", async () => {
  const updates = createUpdates(null, () => undefined)
  expect(await updates.check()).toEqual({ status: "off" })
  expect(await updates.install()).toEqual({ status: "off" })
})

// Would catch an update that is asked for while local-only is on, or one that isn't in the list of what left.
test("what an updater connects to is written down, and refused before it is asked for", async () => {
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
