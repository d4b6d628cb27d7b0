import { once } from "node:events"
import { expect, it } from "vitest"
import { createKeyedLock } from "./keyed-lock.ts"
import { DatabaseBusy } from "../database/database.ts"

// Would catch: a failure that others pay for, or a place in the queue that is lost with it.
it("runs tasks of a key one after another, also after one that failed", async () => {
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

// Would catch: a queue in which each waits in its turn for another program's lock.
it("ends those that waited behind a task which another program's lock ended, and nobody else", async () => {
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
