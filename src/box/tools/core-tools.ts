import type { SpawnChild } from "../core/child.ts"
import { createCalculate } from "./calculate.ts"
import { createMemory, type MemoryDeps } from "./memory.ts"
import type { Tool } from "./tool.ts"

export interface CoreToolsDeps {
  spawn: SpawnChild
  memories: MemoryDeps
}

/** Every tool of the box's own, and the end of the processes that they keep. */
export interface CoreTools extends AsyncDisposable {
  readonly tools: readonly Tool[]
}

export function createCoreTools({ spawn, memories }: CoreToolsDeps): CoreTools {
  const resources = new AsyncDisposableStack()
  const tools = [resources.use(createCalculate(spawn)), createMemory(memories)]
  return { tools, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}
