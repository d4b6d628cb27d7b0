import { expect, test } from "vitest"
import { waitFor } from "../../../shared/testing/wait-for.ts"
import { createAnswerQueue } from "./llama-engine.ts"

const never = new AbortController().signal
const ann = { person: "ann", conversation: null }
const bob = { person: "bob", conversation: null }

test("a busy conversation doesn't block another one", async () => {
  const queue = createAnswerQueue(() => 2)
  const order: string[] = []
  const enter = async (key: string): Promise<Disposable> => {
    const slot = await queue.acquire(never, { ...ann, conversation: key })
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

// Catches someone whose many requests fill the queue, or are answered before those of everyone else.
test.each([
  [1, ["bob", "bob", "ann", "bob", "ann"]],
  [2, ["bob", "bob", "ann", "bob", "ann"]],
])("people take turns with %i slots, however much one of them asks", async (slots, expected) => {
  const queue = createAnswerQueue(() => slots)
  const order: string[] = []
  const held: Disposable[] = []
  const enter = async (asking: typeof ann): Promise<void> => {
    held.push(await queue.acquire(never, asking))
    order.push(asking.person)
  }
  const asking = [...Array.from({ length: slots + 64 }, () => bob), ann, ann]
  for (const each of asking) void enter(each)
  await expect(queue.acquire(never, bob)).rejects.toMatchObject({ code: "rate_limited" })
  while (order.length < expected.length) {
    const count = order.length
    held.shift()?.[Symbol.dispose]()
    await waitFor(() => expect(order.length).toBeGreaterThan(count))
  }
  expect(order).toEqual(expected)
})

test("releasing a slot twice frees it once", async () => {
  const queue = createAnswerQueue(() => 1)
  const slot = await queue.acquire(never, ann)
  slot[Symbol.dispose]()
  slot[Symbol.dispose]()
  await queue.acquire(never, ann)
  let entered = false
  void queue.acquire(never, ann).then(() => (entered = true))
  await Promise.resolve()
  expect(entered).toBe(false)
})

test("a caller that stops waiting leaves the queue, and the queue's length is limited", async () => {
  const queue = createAnswerQueue(() => 1)
  await queue.acquire(never, ann)
  const gone = new AbortController()
  const waiting = Array.from({ length: 64 }, async () => queue.acquire(gone.signal, ann))
  await expect(queue.acquire(never, ann)).rejects.toMatchObject({ code: "rate_limited" })
  gone.abort(new Error("gone"))
  for (const entry of waiting) await expect(entry).rejects.toThrow("gone")
  void queue.acquire(never, ann)
  await expect(queue.acquire(AbortSignal.abort(new Error("early")), ann)).rejects.toThrow("early")
})
