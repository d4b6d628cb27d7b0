import { tmpdir } from "node:os"
import { expect, test } from "vitest"
import { readCatalogue, offerModels } from "./catalogue.ts"

const gigabyte = 2 ** 30
const catalogue = await readCatalogue(tmpdir())

const computer = (memory: number, gpu = 0, disk = 100) => ({
  memoryBytes: memory * gigabyte,
  freeMemoryBytes: memory * gigabyte * 0.6,
  freeDiskBytes: disk * gigabyte,
  gpuBytes: gpu * gigabyte,
})
const recommended = (on: ReturnType<typeof computer>) =>
  offerModels(catalogue, on, () => null).flatMap((model) =>
    model.recommended ? [[model.purpose, model.id]] : [],
  )

// Catches a recommended model that the computer can't run, or can run only with everything else closed.
test.each([
  [computer(4), "qwen3-0.6b"],
  [computer(8), "llama-3.2-3b-instruct"],
  [computer(16), "qwen3-4b-instruct-2507"],
  [computer(64), "qwen3-4b-instruct-2507"],
  [computer(32, 8), "qwen3-8b"],
  [computer(32, 16), "qwen3-14b"],
  [computer(64, 0, 1.5), "qwen3-0.6b"],
])("recommends one chat model for the computer %#", (on, id) => {
  const models = Object.fromEntries(recommended(on))
  expect(models["chat"]).toBe(id)
  expect(recommended(on).filter(([purpose]) => purpose === "chat")).toHaveLength(1)
})

test("recommends no model that doesn't fit", () => {
  expect(recommended(computer(64, 0, 0.1))).toEqual([])
  expect(recommended(computer(0.25))).toEqual([])
  const [largest] = offerModels(catalogue, computer(8), () => null)
  expect(largest).toMatchObject({
    id: "qwen3-14b",
    memoryFit: "too-large",
    diskFits: true,
    recommended: false,
  })
})

// Catches an entry that would be refused when it is chosen, and two entries with the same ID.
test("the built-in catalogue is complete", () => {
  expect(new Set(catalogue.map(({ id }) => id)).size).toBe(catalogue.length)
  for (const purpose of ["chat", "embedding", "reranking"]) {
    expect(catalogue.some((model) => model.purpose === purpose)).toBe(true)
  }
  for (const { sizeBytes, memoryBytes } of catalogue) expect(memoryBytes).toBeGreaterThan(sizeBytes)
})
