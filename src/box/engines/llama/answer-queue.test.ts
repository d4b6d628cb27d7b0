import { expect, test } from "vitest"
import { createAnswerQueue } from "./llama-engine.ts"

const never = new AbortController().signal

test("a busy conversation doesn't block another one", async () => {
  const queue = createAnswerQueue(() => 2)
  const order: string[] = []
  const enter = async (key: string): Promise<Disposable> => {
    const slot = await queue.acquire(never, key)
    order.push(key)
    return slot
  }
  const slots = [await enter("a"), await enter("a")]
  const waiting = ["a", "a", "b"].map(enter)
  slots[0]?.[Symbol.dispose]()
  const next = await Promise.race(waiting)
  expect(order).toEqual(["a", "a", "b"])
  next[Symbol.dispose]()
  await waiting[0]
  expect(order).toEqual(["a", "a", "b", "a"])
})

test("releasing a slot twice frees it once", async () => {
  const queue = createAnswerQueue(() => 1)
  const slot = await queue.acquire(never, null)
  slot[Symbol.dispose]()
  slot[Symbol.dispose]()
  await queue.acquire(never, null)
  let entered = false
  void queue.acquire(never, null).then(() => (entered = true))
  await Promise.resolve()
  expect(entered).toBe(false)
})

test("a caller that stops waiting leaves the queue, and the queue's length is limited", async () => {
  const queue = createAnswerQueue(() => 1)
  await queue.acquire(never, null)
  const gone = new AbortController()
  const waiting = Array.from({ length: 64 }, async () => queue.acquire(gone.signal, null))
  await expect(queue.acquire(never, null)).rejects.toMatchObject({ code: "rate_limited" })
  gone.abort(new Error("gone"))
  for (const entry of waiting) await expect(entry).rejects.toThrow("gone")
  void queue.acquire(never, null)
  await expect(queue.acquire(AbortSignal.abort(new Error("early")), null)).rejects.toThrow("early")
})
