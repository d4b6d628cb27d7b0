import { AppError } from "../../shared/contract/errors.ts"
import type { Memory } from "../../shared/contract/memory.ts"
import { sentence } from "../../shared/sentences/sentences.ts"
import type { Proposal, ToolContext } from "./tool.ts"

/** Access to stored memories for the tool. */
export interface MemoryDeps {
  /** Returns the fact that `remember` would replace with this text, or null if it would add a new one. */
  findReplaced(userId: string, text: string): Promise<Memory | null>
  remember(userId: string, text: string): Promise<Memory>
  forget(userId: string, id: string): Promise<void>
  list(
    userId: string,
    page: { limit: number; offset: number },
    search?: string,
  ): Promise<{ memories: Memory[] }>
}

/** Includes what the approval card shows: the fact's ID, and the fact that a new one replaces. */
export interface MemoryArgs {
  action: "remember" | "recall" | "forget"
  text?: string | undefined
  id?: string | undefined
  replaces?: string | undefined
}

type Context = Pick<ToolContext, "userId" | "staysHere">

/** Adds and removes facts. Loaded at the first such call. */
export function createMemoryChanges(
  memories: MemoryDeps,
  find: (userId: string, search: string) => Promise<Memory[]>,
) {
  /** Returns the fact that contains these words. Throws `not_found`, or `validation` if several facts match. */
  async function findOne(userId: string, text: string): Promise<Memory> {
    const matching = await find(userId, text)
    const [memory] = matching
    if (memory === undefined) throw new AppError("not_found", sentence("tools.no_such_fact"))
    if (matching.length > 1) {
      const all = matching.map(({ text }) => `"${text}"`).join(", ")
      throw new AppError("validation", sentence("tools.several_facts", { all }))
    }
    return memory
  }

  return {
    /** Returns the arguments with the whole fact to forget, or with the fact that a new one would replace. */
    async propose({ action, text }: MemoryArgs, context: Context): Promise<Proposal> {
      requireText(action, text)
      if (action === "forget") {
        const memory = await findOne(context.userId, text)
        return { args: { action, id: memory.id, text: memory.text } }
      }
      await requireMayLeave(context)
      const replaced = await memories.findReplaced(context.userId, text)
      return { args: { action, text, ...(replaced && { id: replaced.id, replaces: replaced.text }) } }
    },

    /** Makes the change and describes it. Throws `conflict` if the fact has changed since it was proposed. */
    async make({ action, text, id, replaces }: MemoryArgs, context: Context): Promise<string> {
      const { userId } = context
      requireText(action, text)
      if (action === "remember") {
        await requireMayLeave(context)
        const replaced = id === undefined ? null : await memories.findReplaced(userId, text)
        if (id !== undefined && (replaced?.id !== id || replaced.text !== replaces)) throw changedSince()
        return `Remembered: ${(await memories.remember(userId, text)).text}`
      }
      const memory =
        id === undefined
          ? await findOne(userId, text)
          : (await find(userId, text)).find((each) => each.id === id && each.text === text)
      if (memory === undefined) throw changedSince()
      await memories.forget(userId, memory.id)
      return `Forgotten: ${memory.text}`
    },
  }
}

function requireText(action: string, text: string | undefined): asserts text is string {
  if (!text) throw new AppError("validation", sentence("tools.text_needed", { action }))
}

/** Facts appear in the prompts of all assistants, with any model. */
async function requireMayLeave({ staysHere }: Context): Promise<void> {
  if (await staysHere()) throw new AppError("forbidden", sentence("memory.stays_here"))
}

const changedSince = () => new AppError("conflict", sentence("tools.fact_changed"))
