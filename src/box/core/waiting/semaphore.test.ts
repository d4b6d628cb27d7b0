import { expect, it } from "vitest"
import { createSemaphore } from "./locks.ts"

const never = new AbortController().signal

// Catches one visitor who fills the whole queue.
it("limits each visitor to a part of the queue", async () => {
  const semaphore = createSemaphore({ slots: () => 1, maxWaiting: 3, maxWaitingEach: 2 })
  const first = await semaphore.acquire(never, "one")
  const waiting = [semaphore.acquire(never, "one"), semaphore.acquire(never, "one")]
  await expect(semaphore.acquire(never, "one")).rejects.toMatchObject({ code: "unavailable" })
  waiting.push(semaphore.acquire(never, "two"))
  await expect(semaphore.acquire(never, "three")).rejects.toMatchObject({ code: "unavailable" })
  first[Symbol.dispose]()
  for (const slot of waiting) (await slot)[Symbol.dispose]()
})

// Catches a slot that is lost with a caller who stopped waiting, or assigned twice.
it("assigns all slots, in order, and skips callers who stopped waiting", async () => {
  const semaphore = createSemaphore({ slots: () => 1, maxWaiting: 2 })
  const first = await semaphore.acquire(never, "")
  const order: string[] = []
  const impatient = new AbortController()
  const second = semaphore.acquire(impatient.signal, "")
  const third = semaphore.acquire(never, "").then((slot) => {
    order.push("third")
    return slot
  })
  await expect(semaphore.acquire(never, "")).rejects.toMatchObject({ code: "unavailable" })
  impatient.abort(new Error("gave up"))
  await expect(second).rejects.toThrow("gave up")
  expect(order).toEqual([])
  first[Symbol.dispose]()
  first[Symbol.dispose]()
  const slot = await third
  const fourth = semaphore.acquire(never, "")
  slot[Symbol.dispose]()
  await fourth
})

// Catches a caller who waits only for one other caller's work, and a caller who gets more than one spare slot.
it("has spare slots for callers who have none", async () => {
  const semaphore = createSemaphore({ slots: () => 2, spare: 1, maxWaiting: 9 })
  await semaphore.acquire(never, "one")
  const second = await semaphore.acquire(never, "one")
  const order: string[] = []
  const acquire = async (caller: string) => {
    const slot = await semaphore.acquire(never, caller)
    order.push(caller)
    return slot
  }
  const third = acquire("one")
  const spare = await acquire("two")
  const fourth = acquire("two")
  spare[Symbol.dispose]()
  const last = await fourth
  expect(order).toEqual(["two", "two"])
  last[Symbol.dispose]()
  second[Symbol.dispose]()
  await third
  expect(order).toEqual(["two", "two", "one"])
})
