import { expect, test } from "vitest"
import type { UploadItem } from "./read-dropped-files.ts"
import { createUploadQueue, type UploadQueue } from "./upload-queue.ts"

const item = (relativePath: string): UploadItem => ({
  relativePath,
  open: () => Promise.resolve(new File(["x"], relativePath)),
})

const whenDone = (queue: UploadQueue) =>
  new Promise<void>((resolve) => {
    const stop = queue.subscribe(() => {
      const { done, total } = queue.getState()
      if (done < total) return
      stop()
      resolve()
    })
  })

function setUp(upload: (path: string) => Promise<void>) {
  return createUploadQueue({
    upload: (_, path) => upload(path),
    describe: (error) => String(error),
    isTemporary: (error) => String(error).includes("temporary"),
    pause: () => Promise.resolve(),
  })
}

// Would catch ten thousand requests at once, and ten thousand files opened at once.
test("a few are sent at a time and all arrive", async () => {
  const sent: string[] = []
  let now = 0
  let most = 0
  const queue = setUp(async (path) => {
    most = Math.max(most, ++now)
    await Promise.resolve()
    sent.push(path)
    now--
  })
  const done = whenDone(queue)
  queue.add(
    "f",
    Array.from({ length: 500 }, (_, index) => item(`${index}.txt`)),
  )
  await done
  expect(new Set(sent).size).toBe(500)
  expect(most).toBeLessThanOrEqual(3)
})

test("one that fails is named with its reason, doesn't hold up the others, and can be sent again", async () => {
  let refuse = true
  const queue = setUp((path) =>
    refuse && path === "b" ? Promise.reject(new Error("bad type")) : Promise.resolve(),
  )
  const done = whenDone(queue)
  queue.add("f", ["a", "b", "c"].map(item))
  await done
  expect(queue.getState()).toMatchObject({
    total: 3,
    done: 3,
    failed: [{ item: { relativePath: "b" }, reason: "Error: bad type" }],
  })

  refuse = false
  const again = whenDone(queue)
  queue.retryFailed()
  await again
  expect(queue.getState()).toMatchObject({ total: 3, done: 3, failed: [] })
})

test("a lost connection is tried again by itself, but not for ever", async () => {
  const attempts = new Map<string, number>()
  const queue = setUp((path) => {
    const attempt = (attempts.get(path) ?? 0) + 1
    attempts.set(path, attempt)
    return path === "a" && attempt === 3 ? Promise.resolve() : Promise.reject(new Error("temporary"))
  })
  const done = whenDone(queue)
  queue.add("f", ["a", "b"].map(item))
  await done
  expect(queue.getState().failed.map((failed) => failed.item.relativePath)).toEqual(["b"])
  expect(Object.fromEntries(attempts)).toEqual({ a: 3, b: 5 })
})

// Would catch a bar that stands still for as long as one large file takes, or that runs past its end.
test("the part of a file that has been sent counts, until the file does", async () => {
  const states: number[] = []
  const queue = createUploadQueue({
    upload: (_folder, _path, _file, onShare) => {
      onShare(0.5)
      return Promise.resolve()
    },
    describe: String,
    isTemporary: () => false,
    pause: () => Promise.resolve(),
  })
  queue.subscribe(() => {
    const { done, underWay } = queue.getState()
    states.push(done + underWay)
  })
  const done = whenDone(queue)
  queue.add("f", [item("large")])
  await done
  expect(states).toContain(0.5)
  expect(queue.getState()).toMatchObject({ done: 1, underWay: 0 })
})

// Would catch files that go on arriving after somebody stopped it, and a count that never gets to its end.
test("stopping drops what waits and ends with what was under way", async () => {
  const sent: string[] = []
  const queue = setUp(async (path) => {
    await Promise.resolve()
    sent.push(path)
  })
  const done = whenDone(queue)
  queue.add(
    "f",
    Array.from({ length: 50 }, (_, index) => item(`${index}.txt`)),
  )
  queue.stop()
  await done
  expect(sent).toHaveLength(3)
  expect(queue.getState()).toMatchObject({ total: 3, done: 3 })
})
