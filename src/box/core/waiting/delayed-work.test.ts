import { setTimeout as delay } from "node:timers/promises"
import { expect, test } from "vitest"
import { createDelayedWork } from "./delayed-work.ts"
import { waitFor } from "../../../shared/testing/wait-for.ts"

const unwanted = (error: unknown) => expect.unreachable(String(error))

// Would catch a push per change, and two writers at once.
test("what is asked for often is done once, and never twice at a time", async () => {
  const begun: PromiseWithResolvers<void>[] = []
  const work = () => {
    const one = Promise.withResolvers<void>()
    begun.push(one)
    return one.promise
  }
  await using delayed = createDelayedWork(work, 1, unwanted)
  delayed.ask()
  delayed.ask()
  await waitFor(() => expect(begun).toHaveLength(1))
  delayed.ask()
  await delay(20) // timers come in their order: the work's own has come before this one
  expect(begun).toHaveLength(1)
  begun[0]?.resolve()
  await waitFor(() => expect(begun).toHaveLength(2))
  begun[1]?.resolve()
})

// Would catch work that is never done again after one failure.
test("a failure is told, and the next time comes", async () => {
  const failures: unknown[] = []
  let times = 0
  const work = () => (++times === 1 ? Promise.reject(new Error("first")) : Promise.resolve())
  await using delayed = createDelayedWork(work, 1, (error) => failures.push(error))
  delayed.ask()
  await waitFor(() => expect(failures).toEqual([new Error("first")]))
  delayed.ask()
  await waitFor(() => expect(times).toBe(2))
})

// Would catch work that uses what is closed already.
test("the end waits for what runs, and nothing begins after it", async () => {
  const running = Promise.withResolvers<void>()
  let times = 0
  const delayed = createDelayedWork(
    async () => {
      times++
      delayed.ask() // as work does that leaves some for later
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
