import { expect, it } from "vitest"
import { createSemaphore } from "./semaphore.ts"

const never = new AbortController().signal

// Would catch: one visitor who takes all the places there are to wait.
it("lets each visitor take only some of the waiting places", async () => {
  const semaphore = createSemaphore({ places: () => 1, maxWaiting: 3, maxWaitingEach: 2 })
  const first = await semaphore.acquire(never, "one")
  const waiting = [semaphore.acquire(never, "one"), semaphore.acquire(never, "one")]
  await expect(semaphore.acquire(never, "one")).rejects.toMatchObject({ code: "unavailable" })
  waiting.push(semaphore.acquire(never, "two"))
  await expect(semaphore.acquire(never, "three")).rejects.toMatchObject({ code: "unavailable" })
  first[Symbol.dispose]()
  for (const place of waiting) (await place)[Symbol.dispose]()
})

// Would catch: a place that is lost with someone who gave up waiting, or given away twice.
it("lets in as many as there are places, in order, and forgets those who gave up", async () => {
  const semaphore = createSemaphore({ places: () => 1, maxWaiting: 2 })
  const first = await semaphore.acquire(never, "")
  const order: string[] = []
  const impatient = new AbortController()
  const second = semaphore.acquire(impatient.signal, "")
  const third = semaphore.acquire(never, "").then((place) => {
    order.push("third")
    return place
  })
  await expect(semaphore.acquire(never, "")).rejects.toMatchObject({ code: "unavailable" })
  impatient.abort(new Error("gave up"))
  await expect(second).rejects.toThrow("gave up")
  expect(order).toEqual([])
  first[Symbol.dispose]()
  first[Symbol.dispose]()
  const place = await third
  const fourth = semaphore.acquire(never, "")
  place[Symbol.dispose]()
  await fourth
})

// Would catch: someone who waits for nothing but one other caller's work, and a caller who gets more than one of the spare places.
it("has spare places for callers who have none", async () => {
  const semaphore = createSemaphore({ places: () => 2, spare: 1, maxWaiting: 9 })
  await semaphore.acquire(never, "one")
  const second = await semaphore.acquire(never, "one")
  const order: string[] = []
  const acquire = async (caller: string) => {
    const place = await semaphore.acquire(never, caller)
    order.push(caller)
    return place
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
