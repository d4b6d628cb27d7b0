import type { SpawnChild } from "../core/child.ts"
import type { Logger } from "../core/logger.ts"
import type { SafeFetch } from "../core/safe-fetch/safe-fetch.ts"
import { createDocumentReader } from "../parsers/document-reader.ts"
import { createCalculate } from "./calculate.ts"
import { createCodeInterpreter } from "./code-interpreter.ts"
import { createFetch } from "./fetch.ts"
import { createMemory, type MemoryDeps } from "./memory.ts"
import { createPlot } from "./plot.ts"
import type { Tool } from "./tool.ts"

export interface CoreToolsDeps {
  spawn: SpawnChild
  logger: Logger
  safe: SafeFetch
  memories: MemoryDeps
}

/** Every tool of the box's own, and the end of the processes that they keep. */
export interface CoreTools extends AsyncDisposable {
  readonly tools: readonly Tool[]
}

/** Someone waits for a page, and nobody for a document of a folder. */
const pageLimits = { timeMs: 10_000, characters: 2_000_000 }

export function createCoreTools({ spawn, logger, safe, memories }: CoreToolsDeps): CoreTools {
  const resources = new AsyncDisposableStack()
  const reader = resources.use(createDocumentReader({ spawn, logger, slots: 1, limits: pageLimits }))
  const tools = [
    resources.use(createCalculate(spawn)),
    createMemory(memories),
    createFetch({ safe, reader }),
    createPlot(),
    resources.use(createCodeInterpreter({ spawn })),
  ]
  return { tools, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}
