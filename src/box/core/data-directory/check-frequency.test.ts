import { once } from "node:events"
import { watch, type FSWatcher } from "node:fs"
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { watchDirectory } from "./watch-data-directory.ts"
import { waitFor } from "../../../shared/testing/wait-for.ts"

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-looks-"))
  await writeFile(join(directory, "log"), "")
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
})
afterEach(async () => {
  vi.useRealTimers()
  await rm(directory, { recursive: true, force: true })
})

const restMs = 60_000
/** Longer than the directory needs to become idle. */
const settleMs = 10_000
const write = () => writeFile(join(directory, "log"), "more", { flag: "a" })

function startWatching(open = watch) {
  const opened = vi.fn(open)
  const directoryWatch = watchDirectory(directory, opened as unknown as typeof watch)
  const listener = vi.fn()
  directoryWatch.on(listener)
  /** Returns the number of checks in this time. */
  const during = (ms: number) => {
    listener.mockClear()
    vi.advanceTimersByTime(ms)
    return listener.mock.calls.length
  }
  return { directoryWatch, during, opened, timers: () => vi.getTimerCount() }
}

test.runIf(process.platform === "linux").each([
  ["a file in it is written to", write],
  ["a file in it is removed", () => rm(join(directory, "log"))],
  [
    "it is moved",
    () => rename(directory, `${directory}-moved`).then(() => rename(`${directory}-moved`, directory)),
  ],
])(
  // Catches a box that wakes several times a second for no reason, or that doesn't react when a command revokes a key.
  "checks an idle directory once a minute, and again soon when %s",
  async (_, change) => {
    const { directoryWatch, during, timers } = startWatching()
    expect(during(1_000)).toBe(2)
    during(settleMs)
    expect(during(10 * restMs)).toBe(10)
    await change()
    await waitFor(() => expect(timers()).toBe(2))
    expect(during(1_000)).toBe(2)
    during(settleMs)
    expect(during(10 * restMs)).toBe(10)
    directoryWatch[Symbol.dispose]()
    expect(timers()).toBe(0)
  },
)

// Catches a revoked key that stays connected when the system has no watches left, or after a watch failed.
test("keeps checking frequently if the directory can't be watched", () => {
  const { directoryWatch, during } = startWatching(() => {
    throw new Error("no watches left")
  })
  expect(during(1_000)).toBe(2)
  expect(during(restMs)).toBeGreaterThanOrEqual(restMs / 1_000)
  directoryWatch[Symbol.dispose]()
})

// Catches a commit that is missed because the disk takes seconds for it, and a callback for each page that the box writes.
test.runIf(process.platform === "linux")("becomes idle only after 4 s without a change", async () => {
  const { directoryWatch, during, opened } = startWatching()
  during(4_000)
  const closed = once(opened.mock.results[0]?.value as FSWatcher, "close")
  for (let times = 0; times < 5; times++) await write()
  await closed
  expect(during(4_000)).toBe(10)
  expect(opened).toHaveBeenCalledTimes(2)
  directoryWatch[Symbol.dispose]()
})
