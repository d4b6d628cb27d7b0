import type { ChatEngine, EngineFunction } from "../../../engines/engine.ts"
import type { Tool } from "../../../tools/tool.ts"

/** What the engine is told of a tool. */
export const toFunction = ({ name, description, parameters }: Tool): EngineFunction => ({
  name,
  description,
  parameters,
})

/** Tokens that descriptions take. */
export async function sizesOf(engine: ChatEngine, tools: readonly Tool[]) {
  const sizes = new Map<Tool, number>()
  for (const tool of tools) sizes.set(tool, await sizeOf(engine, tool))
  const size = (tool: Tool) => sizes.get(tool) ?? 0
  return {
    sizeOf: size,
    sum: (some: readonly Tool[]) => some.reduce((sum, tool) => sum + size(tool), 0),
    /** Those that fit, in their order. */
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

/** Sizes of descriptions by their text, for they are the same in every turn; the newest few hundred. */
const knownSizes = new WeakMap<ChatEngine, Map<string, number>>()
const mostKnown = 500

async function sizeOf(engine: ChatEngine, tool: Tool): Promise<number> {
  const sizes = knownSizes.get(engine) ?? new Map<string, number>()
  knownSizes.set(engine, sizes)
  // As the most talkative chat templates write it.
  const text = JSON.stringify({ type: "function", function: toFunction(tool) }, null, 2)
  const known = sizes.get(text)
  if (known !== undefined) return known
  const size = await engine.countTokens(text)
  if (sizes.size >= mostKnown) sizes.clear()
  sizes.set(text, size)
  return size
}
