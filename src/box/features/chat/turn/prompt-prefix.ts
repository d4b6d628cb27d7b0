import type { Beginning } from "../../../engines/engine.ts"
import { createDelegateTool } from "./delegate.ts"
import { factsFor, instructionsOf, layOutBelt, type BeltDeps } from "./assistant-tools.ts"
import { systemPrompt } from "./prompt.ts"
import type { ChatAssistant, Turn } from "./turn.ts"

/** What an assistant's prompts begin with before anything is asked. */
export async function beginningOf(
  deps: BeltDeps,
  {
    userId,
    assistant,
    cites,
    scopes,
  }: Pick<Turn, "userId" | "scopes"> & { assistant: ChatAssistant; cites: boolean },
): Promise<Beginning> {
  const asked = {
    userId,
    assistant,
    messages: [],
    earlier: [],
    delegation: null,
    approvals: "wait",
    scopes,
  } as const
  const belt = await layOutBelt(deps, asked, (delegates) =>
    createDelegateTool({ delegates, tasks: new Map(), answer: callsNothing }),
  )
  const facts = await factsFor(deps, userId, belt, "")
  const functions = belt?.functions([]) ?? []
  return {
    messages: systemPrompt({ instructions: instructionsOf(assistant, belt), cites, facts }),
    ...(functions.length > 0 && { functions }),
  }
}

function callsNothing(): never {
  throw new Error("A beginning is read only.")
}
