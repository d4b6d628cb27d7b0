import type { SpawnChild } from "../core/children/child.ts"
import type { Logger } from "../core/logging/logger.ts"
import type { SafeFetch } from "../core/safe-fetch/safe-fetch.ts"
import { createDocumentReader } from "../parsers/process/document-reader.ts"
import { createAddAReasoningStep } from "./add-a-reasoning-step.ts"
import { createCalculate } from "./calculate.ts"
import { createCodeInterpreter, type CodeInterpreterDeps } from "./code-interpreter.ts"
import { createWidget } from "./create-widget.ts"
import { createFetch } from "./fetch.ts"
import { createGetWeather } from "./get-weather.ts"
import { createMemory, type MemoryDeps } from "./memory.ts"
import { createPlot } from "./plot.ts"
import type { Tool } from "./tool.ts"
import { createWebSearch, type WebSearchDeps } from "./web-search.ts"

export interface CoreToolsDeps {
  spawn: SpawnChild
  logger: Logger
  safe: SafeFetch
  memories: MemoryDeps
  readableFiles: CodeInterpreterDeps["readableFiles"]
  webSearch: Pick<WebSearchDeps, "settings" | "apiKey">
}

/** Every tool of the box's own, and the end of the processes that they keep. */
export interface CoreTools extends AsyncDisposable {
  readonly tools: readonly Tool[]
}

/** Someone waits for a page, and nobody for a document of a folder. */
const pageLimits = { processorMs: 10_000, longestMs: 60_000, characters: 2_000_000 }

export function createCoreTools({
  spawn,
  logger,
  safe,
  memories,
  readableFiles,
  webSearch,
}: CoreToolsDeps): CoreTools {
  const resources = new AsyncDisposableStack()
  const reader = resources.use(createDocumentReader({ spawn, logger, slots: 1, limits: pageLimits }))
  const tools = [
    resources.use(createCalculate(spawn)),
    createMemory(memories),
    createFetch({ safe, reader }),
    createPlot(),
    resources.use(createCodeInterpreter({ spawn, readableFiles })),
    createWebSearch({ safe, ...webSearch }),
    createGetWeather({ safe }),
    createAddAReasoningStep(),
    createWidget(),
  ]
  return { tools, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}
