import { expect, test } from "vitest"
import { type UploadItem, createUploadQueue, type UploadQueue } from "./upload-queue.ts"

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

// Catches ten thousand simultaneous requests or open files.
test("sends a few files at a time until all have arrived", async () => {
  const sent: string[] = []
  let now = 0
  let max = 0
  const queue = setUp(async (path) => {
    max = Math.max(max, ++now)
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
  expect(max).toBeLessThanOrEqual(3)
})

test("reports a failed file with its reason, continues with the others, and can send it again", async () => {
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

test("retries a lost connection automatically, but not for ever", async () => {
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

// Catches a progress bar that stands still during a large file or exceeds its end.
test("counts the sent part of a file until the whole file is counted", async () => {
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

// Catches files that still arrive after a stop, and a count that never reaches its end.
test("drops waiting files on stop and finishes those in progress", async () => {
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
