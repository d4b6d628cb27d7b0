import { once } from "node:events"
import { watch, type FSWatcher } from "node:fs"
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { lookAtDirectory } from "./directory-looks.ts"
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
/** As long as the directory takes to come to rest, and more. */
const settleMs = 10_000
const write = () => writeFile(join(directory, "log"), "more", { flag: "a" })

function startLooking(open = watch) {
  const opened = vi.fn(open)
  const looks = lookAtDirectory(directory, opened as unknown as typeof watch)
  const look = vi.fn()
  looks.on(look)
  /** How often is looked in this time. */
  const during = (ms: number) => {
    look.mockClear()
    vi.advanceTimersByTime(ms)
    return look.mock.calls.length
  }
  return { looks, during, opened, timers: () => vi.getTimerCount() }
}

test.runIf(process.platform === "linux").each([
  ["a file in it is written to", write],
  ["a file in it is removed", () => rm(join(directory, "log"))],
  [
    "it is moved",
    () => rename(directory, `${directory}-moved`).then(() => rename(`${directory}-moved`, directory)),
  ],
])(
  // Would catch: a box that wakes several times a second for nothing, or that sleeps on when a command revokes a key.
  "looks once a minute at a directory at rest, and soon again when %s",
  async (_, change) => {
    const { looks, during, timers } = startLooking()
    expect(during(1_000)).toBe(2)
    during(settleMs)
    expect(during(10 * restMs)).toBe(10)
    await change()
    await waitFor(() => expect(timers()).toBe(2))
    expect(during(1_000)).toBe(2)
    during(settleMs)
    expect(during(10 * restMs)).toBe(10)
    looks[Symbol.dispose]()
    expect(timers()).toBe(0)
  },
)

// Would catch: a revoked key that stays connected where the system has no watches left, or after one failed.
test("goes on looking soon where the directory can't be watched", () => {
  const { looks, during } = startLooking(() => {
    throw new Error("no watches left")
  })
  expect(during(1_000)).toBe(2)
  expect(during(restMs)).toBeGreaterThanOrEqual(restMs / 1_000)
  looks[Symbol.dispose]()
})

// Would catch: a commit that is missed because the disk takes seconds over it, and a call of the box for each page that it writes.
test.runIf(process.platform === "linux")("comes to rest only once nothing has changed for 4 s", async () => {
  const { looks, during, opened } = startLooking()
  during(4_000)
  const closed = once(opened.mock.results[0]?.value as FSWatcher, "close")
  for (let times = 0; times < 5; times++) await write()
  await closed
  expect(during(4_000)).toBe(10)
  expect(opened).toHaveBeenCalledTimes(2)
  looks[Symbol.dispose]()
})
