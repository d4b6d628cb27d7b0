import { expect, it } from "vitest"
import { createSlices } from "../sockets.ts"

// Catches writes to thousands of listeners that delay every request, and messages in the wrong order.
it("lets other work run in between and keeps the order of jobs", async () => {
  const slices = createSlices(0)
  const done: string[] = []
  function* job(name: string, steps: number) {
    for (let step = 1; step <= steps; step++) {
      done.push(`${name}${step}`)
      yield
    }
  }
  slices.add(job("a", 3))
  slices.add(job("b", 2))
  expect(done).toEqual(["a1"])
  expect(slices.waiting).toBe(2)
  while (slices.waiting > 0) await new Promise((resolve) => setImmediate(resolve))
  expect(done).toEqual(["a1", "a2", "a3", "b1", "b2"])
})

it("runs a short job at once", () => {
  const slices = createSlices(1_000)
  let done = 0
  slices.add(
    (function* () {
      for (; done < 10; done++) yield
    })(),
  )
  expect([done, slices.waiting]).toEqual([10, 0])
})
