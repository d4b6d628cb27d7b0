import { expect, it } from "vitest"
import { createTurnstile } from "./turnstile.ts"

const never = new AbortController().signal

// Would catch: one visitor who takes all the places there are to wait.
it("lets each visitor take only some of the waiting places", async () => {
  const turnstile = createTurnstile(1, 3, 2)
  const first = await turnstile.enter(never, "one")
  const waiting = [turnstile.enter(never, "one"), turnstile.enter(never, "one")]
  await expect(turnstile.enter(never, "one")).rejects.toMatchObject({ code: "unavailable" })
  waiting.push(turnstile.enter(never, "two"))
  await expect(turnstile.enter(never, "three")).rejects.toMatchObject({ code: "unavailable" })
  first[Symbol.dispose]()
  for (const place of waiting) (await place)[Symbol.dispose]()
})

// Would catch: a place that is lost with someone who gave up waiting, or given away twice.
it("lets in as many as there are places, in order, and forgets those who gave up", async () => {
  const turnstile = createTurnstile(1, 2)
  const first = await turnstile.enter(never)
  const order: string[] = []
  const impatient = new AbortController()
  const second = turnstile.enter(impatient.signal)
  const third = turnstile.enter(never).then((place) => {
    order.push("third")
    return place
  })
  await expect(turnstile.enter(never)).rejects.toMatchObject({ code: "unavailable" })
  impatient.abort(new Error("gave up"))
  await expect(second).rejects.toThrow("gave up")
  expect(order).toEqual([])
  first[Symbol.dispose]()
  first[Symbol.dispose]()
  const place = await third
  const fourth = turnstile.enter(never)
  place[Symbol.dispose]()
  await fourth
})
