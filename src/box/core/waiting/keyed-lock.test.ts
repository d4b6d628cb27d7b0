import { once } from "node:events"
import { expect, it } from "vitest"
import { createKeyedLock } from "./locks.ts"
import { DatabaseBusy } from "../database/database.ts"

// Catches a failure that affects later tasks, or that blocks the queue.
it("runs tasks of a key one after another, also after a failed one", async () => {
  const lock = createKeyedLock()
  const order: string[] = []
  const task = (name: string) => async () => {
    order.push(`${name} begins`)
    await new Promise(setImmediate)
    order.push(`${name} ends`)
    if (name === "bad") throw new Error("bad")
    return name
  }
  const bad = expect(lock.run("key", task("bad"))).rejects.toThrow("bad")
  expect(await lock.run("key", task("good"))).toBe("good")
  await bad
  expect(order).toEqual(["bad begins", "bad ends", "good begins", "good ends"])
})

// Catches a queue in which each task in turn waits for another program's lock.
it("rejects the tasks behind one that another program's lock ended, but no others", async () => {
  const lock = createKeyedLock()
  const ended = new AbortController()
  const busy = async () => {
    await once(ended.signal, "abort")
    throw new DatabaseBusy(null)
  }
  const tried: string[] = []
  const attempt = (name: string) => () => Promise.resolve(tried.push(name))
  const first = lock.run("key", busy)
  const behind = [lock.run("key", attempt("second")), lock.run("key", attempt("third"))]
  const outcomes = Promise.allSettled([first, ...behind])
  await lock.run("other", attempt("other"))
  ended.abort()
  expect((await outcomes).map((outcome) => outcome.status === "rejected" && outcome.reason)).toEqual(
    Array.from({ length: 3 }, () => expect.any(DatabaseBusy) as unknown),
  )
  await lock.run("key", attempt("later"))
  expect(tried).toEqual(["other", "later"])
})
