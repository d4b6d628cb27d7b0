import type { Tool } from "../../../../tools/tool.ts"
import type { ChatEngine, PromptPrefix } from "../../../../engines/engine.ts"
import { factsFor, getInstructions, getToolSet, offersFolderTools } from "../assistant-tools.ts"
import { createDelegateTool } from "../delegation/delegate-tool.ts"
import { systemPrompt } from "./prompt.ts"
import { type BoxParts, modelOfTurn } from "../turn-deps.ts"
import type { ChatAssistant, TurnRequest } from "../turn.ts"

export interface PrefixRequest extends Pick<TurnRequest, "scopes" | "isUnconfirmed" | "builtInTools"> {
  userId: string
  /** null: folders are searched without an assistant. */
  assistant: ChatAssistant | null
  /** Whether folders are searched. */
  cites: boolean
}

/** Has the model process in the background the start of the next chat with an assistant, about folders or with tools. */
export function readAhead(box: BoxParts, request: PrefixRequest): void {
  if (request.assistant === null && !request.cites && !Object.values(request.builtInTools).includes(true))
    return
  const prepare = async () => {
    const engine = await modelOfTurn(box, request.assistant?.modelId ?? null)
    if (engine?.state.status !== "ready") return
    await engine.prepare(await getPromptPrefix(box, engine, request))
  }
  prepare()
    // The next question is answered even if its prefix wasn't prepared.
    .catch((error: unknown) => box.logger.debug({ err: error }, "Prefilling the prompt failed"))
}

/** Returns the start of the prompt, before any question. */
async function getPromptPrefix(
  box: BoxParts,
  engine: ChatEngine,
  { userId, assistant, builtInTools, cites, scopes, isUnconfirmed }: PrefixRequest,
): Promise<PromptPrefix> {
  const nothingAsked = { messages: [], earlierParts: [], delegation: null, approvals: "wait" } as const
  const toolSet = await getToolSet(
    box,
    engine,
    { ...nothingAsked, userId, assistant, builtInTools, scopes, isUnconfirmed, isByScopedKey: false },
    {
      folderTools: cites && offersFolderTools(engine) ? await toolsOfFolders(box) : [],
      toDelegateTool: (_, delegates) =>
        createDelegateTool({ delegates, tasks: new Map(), runTask: runsNothing }),
    },
  )
  const facts = await factsFor(box, userId, toolSet, "")
  const functions = toolSet?.functions([]) ?? []
  return {
    messages: systemPrompt({ instructions: getInstructions(assistant, toolSet), cites, facts }),
    ...(functions.length > 0 && { functions }),
  }
}

async function toolsOfFolders({ folderReading }: BoxParts): Promise<Tool[]> {
  const { createFolderTools } = await import("../../folder-tools/folder-tools.ts")
  return createFolderTools(folderReading, runsNothing)
}

function runsNothing(): never {
  throw new Error("A prompt prefix is read only.")
}
