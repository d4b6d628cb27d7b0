import type { ChatEngine, EngineFunction } from "../../../engines/engine.ts"
import type { Tool } from "../../../tools/tool.ts"

/** Returns a tool's description as the engine receives it. */
export const toFunction = ({ name, description, parameters }: Tool): EngineFunction => ({
  name,
  description,
  parameters,
})

/** Measures the tokens of tool descriptions. */
export async function getSizes(engine: ChatEngine, tools: readonly Tool[]) {
  const sizes = new Map<Tool, number>()
  for (const tool of tools) sizes.set(tool, await getSize(engine, tool))
  const size = (tool: Tool) => sizes.get(tool) ?? 0
  return {
    getSize: size,
    sum: (some: readonly Tool[]) => some.reduce((sum, tool) => sum + size(tool), 0),
    /** Returns the tools that fit, in order. */
    fit(some: readonly Tool[], room: number): Tool[] {
      let left = room
      return some.filter((tool) => {
        const fits = size(tool) <= left
        if (fits) left -= size(tool)
        return fits
      })
    },
  }
}

/** Caches sizes by description text, because descriptions are the same in every turn. Keeps the newest 500. */
const knownSizes = new WeakMap<ChatEngine, Map<string, number>>()
const maxKnown = 500

async function getSize(engine: ChatEngine, tool: Tool): Promise<number> {
  const sizes = knownSizes.get(engine) ?? new Map<string, number>()
  knownSizes.set(engine, sizes)
  // Formatted as in the most verbose chat templates.
  const text = JSON.stringify({ type: "function", function: toFunction(tool) }, null, 2)
  const known = sizes.get(text)
  if (known !== undefined) return known
  const size = await engine.countTokens(text)
  if (sizes.size >= maxKnown) sizes.clear()
  sizes.set(text, size)
  return size
}
