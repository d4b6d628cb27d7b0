import { AppError } from "../../../shared/contract/errors.ts"
import { coreTools } from "../../../shared/contract/tools.ts"
import type { ChatEngine } from "../../engines/engine.ts"
import { stricterMode } from "../../tools/policy.ts"
import { delegationKey, type Toolbox } from "../../tools/registry.ts"
import type { Tool } from "../../tools/tool.ts"
import type { Remembered } from "./call-tools.ts"
import { createDelegateTool, type Delegate } from "./delegate.ts"
import { layOutTools, type ToolBelt } from "./tool-belt.ts"
import { taskLimits, type AnswerEvent, type ChatAssistant, type Turn } from "./turn.ts"
import { addMessage, createTurnContext, type ContextMessage, type TurnContext } from "./turn-context.ts"

export interface EquipDeps {
  engine: ChatEngine
  toolbox: Toolbox
  assistant(userId: string, id: string): Promise<ChatAssistant | null>
  delegates(userId: string): Promise<Delegate[]>
  /** What is remembered of the user and fits a question; only for assistants with the tool `memory`. */
  facts(userId: string, question: string): Promise<string[]>
  /** Answers the task of a delegate. */
  answerTask(task: Turn, signal: AbortSignal): AsyncIterable<AnswerEvent>
}

/** What an assistant's answer has beside words. */
export interface Equipment {
  belt: ToolBelt
  context: TurnContext
  remembered: Remembered
  history: ContextMessage[]
  facts: string[]
}

const memoryKey = "memory"

/** Assistants that may work one for another, the user's own included. */
const deepest = 4

/** The tools of a turn and the context that policy judges their calls by; null without any. */
export async function equip(deps: EquipDeps, turn: Turn): Promise<Equipment | null> {
  const { assistant, userId, delegation } = turn
  if (assistant === null) return null
  const switchedOn = await deps.toolbox.switchedOn(userId, assistant.builtInTools)
  const tools = [...switchedOn.tools]
  const missing = [...switchedOn.missing]
  // Known once the tools are: a task takes over what its giver has read by then.
  const read = Promise.withResolvers<TurnContext>()
  if (assistant.builtInTools[delegationKey] === true) {
    const tool = await createDelegation(deps, turn, assistant, read.promise)
    if (typeof tool === "string") missing.push({ name: coreTools.assistant.name, reason: tool })
    else tools.push(tool)
  }
  const mode = delegation ? stricterMode(delegation.mode, assistant.permissionMode) : assistant.permissionMode
  const question = turn.messages.at(-1)?.content ?? ""
  const belt = await layOutTools(deps.engine, { tools, missing, mode }, question)
  if (belt === null) return null
  const history = await turn.history()
  const context = createTurnContext(belt.tools, delegation?.context)
  context.add({ trusted: assistant.owned, private: true })
  if ([...belt.tools.values()].some(isForeign)) context.add({ trusted: false, private: false })
  // A task is written by an assistant: it is as trustworthy as what that one had read, and names no addresses.
  if (delegation === null) for (const message of history) addMessage(context, message)
  addMessage(context, { role: "assistant", content: "", parts: turn.parts, ownAnswer: true })
  read.resolve(context)
  const remembered = await turn.remembered()
  const hasMemory = [...belt.tools.values()].some(({ key }) => key === memoryKey)
  const facts = hasMemory ? await deps.facts(userId, question) : []
  return { belt, context, remembered, history, facts }
}

/** Its description was written by others. */
const isForeign = ({ key }: Tool) => key.startsWith("int_") || key.startsWith("mcp_")

/** The tool, or why there is none. */
async function createDelegation(
  deps: EquipDeps,
  turn: Turn,
  assistant: ChatAssistant,
  read: Promise<TurnContext>,
): Promise<Tool | string> {
  const chain = [...(turn.delegation?.chain ?? []), assistant.id]
  if (chain.length >= deepest) return "this task was already handed on as often as it may be"
  const delegates = (await deps.delegates(turn.userId)).filter(({ id }) => !chain.includes(id))
  if (delegates.length === 0) return "there is no other assistant to ask"
  const mode = stricterMode(turn.delegation?.mode ?? "bypass", assistant.permissionMode)
  return createDelegateTool({
    delegates,
    tasks: turn.tasks,
    async *answer(delegate, task, progress, { toolCallId, signal }) {
      const asked = await deps.assistant(turn.userId, delegate.id)
      if (asked === null) throw gone(delegate.handle)
      yield* deps.answerTask(
        {
          ...turn,
          messages: [{ role: "user", content: task }],
          assistant: asked,
          vectorIds: asked.vectorIds,
          conversationKey: `${turn.conversationKey}/${asked.id}`,
          history: () => Promise.resolve([]),
          ...progress,
          limits: taskLimits,
          // What it makes belongs to the answer that asks.
          keepFile: (file) => turn.keepFile(file, toolCallId),
          // Kept is what the answer itself rests on.
          keepRetrieval: () => Promise.resolve(),
          delegation: { chain, mode, context: await read },
        },
        signal,
      )
    },
  })
}

const gone = (handle: string) => new AppError("not_found", `There is no assistant @${handle} any more.`)
