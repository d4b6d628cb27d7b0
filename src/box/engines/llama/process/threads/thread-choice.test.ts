import { expect, test } from "vitest"
import { createThreadChoice } from "./thread-choice.ts"

const idle = { gpu: false, cpuMathCores: 8, maxThreads: 1 } as const

// Catches answers written with the thread count for prompts, which is many times slower next to another program. Also catches a prompt that
// ends or fails and changes the threads of another prompt that is still being read.
test("prompts are read with all cores, and answers get their own thread count after the last prompt", async () => {
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

// Catches a context that isn't notified of the new thread count for answers.
test("notifies the listener when the thread count for answers changes", () => {
  const llama: { gpu: false; cpuMathCores: number; maxThreads: number } = { ...idle }
  const heard: number[] = []
  const { recordToken } = createThreadChoice(llama, (threads) => heard.push(threads))
  for (let token = 0; token < 8; token++) recordToken(50, 1) // one measurement window, after which another thread count is tried
  expect(heard).toEqual([llama.maxThreads])
})

test("leaves the thread count unchanged with a GPU", async () => {
  const llama = { ...idle, gpu: "vulkan" } as const
  await createThreadChoice(llama, () => undefined).readStep(() => Promise.resolve())
  expect(llama.maxThreads).toBe(1)
})
