import { expect, test } from "vitest"
import { createThreadChoice } from "./thread-choice.ts"

const idle = { gpu: false, cpuMathCores: 8, maxThreads: 1 } as const

// Would catch: answers that are written with the threads of prompts, which is many times slower beside another program; a
// prompt that ends, or fails, and takes the threads of another one that is still read.
test("prompts are read with all cores, and answers written with their own threads once none is read", async () => {
  const llama: { gpu: false; cpuMathCores: number; maxThreads: number } = { ...idle }
  const { readStep } = createThreadChoice(llama, () => undefined)
  const writing = llama.maxThreads
  expect(writing).toBeLessThan(8)
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const steps = [readStep(() => first.promise), readStep(() => second.promise)]
  expect(llama.maxThreads).toBe(8)
  first.reject(new Error("cut off"))
  await expect(steps[0]).rejects.toThrow("cut off")
  expect(llama.maxThreads).toBe(8)
  second.resolve()
  await steps[1]
  expect(llama.maxThreads).toBe(writing)
})

// Would catch: a context that isn't told how many threads answers have now.
test("whoever writes answers hears of another number of threads", () => {
  const llama: { gpu: false; cpuMathCores: number; maxThreads: number } = { ...idle }
  const heard: number[] = []
  const { recordToken } = createThreadChoice(llama, (threads) => heard.push(threads))
  for (let token = 0; token < 8; token++) recordToken(50, 1) // a measured window, then another number is tried
  expect(heard).toEqual([llama.maxThreads])
})

test("with a GPU nothing is chosen", async () => {
  const llama = { ...idle, gpu: "vulkan" } as const
  await createThreadChoice(llama, () => undefined).readStep(() => Promise.resolve())
  expect(llama.maxThreads).toBe(1)
})
