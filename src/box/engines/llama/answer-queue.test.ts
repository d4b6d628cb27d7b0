import { expect, test } from "vitest"
import { createAnswerQueue } from "./answer-queue.ts"

const never = new AbortController().signal

test("one conversation that asks much does not keep another one waiting", async () => {
  const queue = createAnswerQueue(() => 2)
  const order: string[] = []
  const enter = async (key: string): Promise<() => void> => {
    const leave = await queue.enter(key, never)
    order.push(key)
    return leave
  }
  const leaves = [await enter("a"), await enter("a")]
  const waiting = ["a", "a", "b"].map(enter)
  leaves[0]?.()
  const next = await Promise.race(waiting)
  expect(order).toEqual(["a", "a", "b"])
  next()
  await waiting[0]
  expect(order).toEqual(["a", "a", "b", "a"])
})

test("giving a place back twice frees it once", async () => {
  const queue = createAnswerQueue(() => 1)
  const leave = await queue.enter(null, never)
  leave()
  leave()
  await queue.enter(null, never)
  let entered = false
  void queue.enter(null, never).then(() => (entered = true))
  await Promise.resolve()
  expect(entered).toBe(false)
})

test("who gives up waiting is out of the queue, and the crowd is bounded", async () => {
  const queue = createAnswerQueue(() => 1)
  await queue.enter(null, never)
  const gone = new AbortController()
  const waiting = Array.from({ length: 64 }, async () => queue.enter(null, gone.signal))
  await expect(queue.enter(null, never)).rejects.toMatchObject({ code: "rate_limited" })
  gone.abort(new Error("gone"))
  for (const entry of waiting) await expect(entry).rejects.toThrow("gone")
  void queue.enter(null, never)
  await expect(queue.enter(null, AbortSignal.abort(new Error("early")))).rejects.toThrow("early")
})
