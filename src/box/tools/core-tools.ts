import type { SpawnChild } from "../core/children/child.ts"
import type { SafeFetch } from "../core/safe-fetch/safe-fetch.ts"
import { createAddAReasoningStep } from "./add-a-reasoning-step.ts"
import { createCalculate } from "./calculate.ts"
import { createCodeInterpreter, type CodeInterpreterDeps } from "./code-interpreter.ts"
import { createWidget } from "./create-widget.ts"
import { createFetch, type FetchDeps } from "./fetch.ts"
import { createFilingTools, type FilingDeps } from "./filing.ts"
import { createGetWeather } from "./get-weather.ts"
import { createMemory } from "./memory.ts"
import type { MemoryDeps } from "./memory-changes.ts"
import { createPlot } from "./plot.ts"
import type { Tool } from "./tool.ts"
import { createWebSearch, type WebSearchDeps } from "./web-search.ts"

export interface CoreToolsDeps {
  spawn: SpawnChild
  safe: SafeFetch
  /** For web pages, which may be on servers in the owner's network that the owner has allowed. */
  pages: FetchDeps
  memories: () => Promise<MemoryDeps>
  readableFiles: CodeInterpreterDeps["readableFiles"]
  webSearch: Pick<WebSearchDeps, "settings" | "apiKey">
  filing: FilingDeps
}

/** The box's built-in tools. Disposal ends the processes that they keep. */
export interface CoreTools extends AsyncDisposable {
  readonly tools: readonly Tool[]
}

export function createCoreTools({
  spawn,
  safe,
  pages,
  memories,
  readableFiles,
  webSearch,
  filing,
}: CoreToolsDeps): CoreTools {
  const resources = new AsyncDisposableStack()
  const tools = [
    resources.use(createCalculate(spawn)),
    createMemory(memories),
    createFetch(pages),
    createPlot(),
    resources.use(createCodeInterpreter({ spawn, readableFiles })),
    createWebSearch({ safe, ...webSearch }),
    createGetWeather({ safe }),
    createAddAReasoningStep(),
    createWidget(),
    ...createFilingTools(filing),
  ]
  return { tools, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}
