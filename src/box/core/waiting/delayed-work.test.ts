import { setTimeout as delay } from "node:timers/promises"
import { expect, test } from "vitest"
import { createDelayedWork } from "./delayed-work.ts"
import { waitFor } from "../../../shared/testing/wait-for.ts"

const unwanted = (error: unknown) => expect.unreachable(String(error))

// Catches a push message per change, and two concurrent writers.
test("runs work once for many requests, and never concurrently", async () => {
  const started: PromiseWithResolvers<void>[] = []
  const work = () => {
    const one = Promise.withResolvers<void>()
    started.push(one)
    return one.promise
  }
  await using delayed = createDelayedWork(work, 1, unwanted)
  delayed.ask()
  delayed.ask()
  await waitFor(() => expect(started).toHaveLength(1))
  delayed.ask()
  await delay(20) // timers fire in order: the work's timer has fired before this one
  expect(started).toHaveLength(1)
  started[0]?.resolve()
  await waitFor(() => expect(started).toHaveLength(2))
  started[1]?.resolve()
})

// Catches work that never runs again after a failure.
test("reports a failure, and runs the next time", async () => {
  const failures: unknown[] = []
  let times = 0
  const work = () => (++times === 1 ? Promise.reject(new Error("first")) : Promise.resolve())
  await using delayed = createDelayedWork(work, 1, (error) => failures.push(error))
  delayed.ask()
  await waitFor(() => expect(failures).toEqual([new Error("first")]))
  delayed.ask()
  await waitFor(() => expect(times).toBe(2))
})

// Catches work that uses resources which are already closed.
test("waits for running work on disposal, and starts nothing afterwards", async () => {
  const running = Promise.withResolvers<void>()
  let times = 0
  const delayed = createDelayedWork(
    async () => {
      times++
      delayed.ask() // like work that leaves something for later
      await running.promise
    },
    1,
    unwanted,
  )
  delayed.ask()
  await waitFor(() => expect(times).toBe(1))
  let hasEnded = false
  const end = delayed[Symbol.asyncDispose]().then(() => (hasEnded = true))
  await Promise.resolve()
  expect(hasEnded).toBe(false)
  running.resolve()
  await end
  delayed.ask()
  expect(times).toBe(1)
})
