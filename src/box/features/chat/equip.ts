import { AppError } from "../../../shared/contract/errors.ts"
import { stricterMode } from "../../tools/policy.ts"
import { isLinked } from "../../tools/registry.ts"
import type { Tool } from "../../tools/tool.ts"
import type { Remembered } from "./call-tools.ts"
import { createDelegateTool, type Delegate } from "./delegate.ts"
import { chainOf, factsFor, layOutBelt, type BeltDeps } from "./lay-out-belt.ts"
import type { Facts } from "./prompt.ts"
import type { ToolBelt } from "./tool-belt.ts"
import { taskLimits, type AnswerEvent, type ChatAssistant, type Turn } from "./turn.ts"
import { addMessage, createTurnContext, type ContextMessage, type TurnContext } from "./turn-context.ts"

export interface EquipDeps extends BeltDeps {
  assistant(userId: string, id: string): Promise<ChatAssistant | null>
  /** Answers the task of a delegate. */
  answerTask(task: Turn, signal: AbortSignal): AsyncIterable<AnswerEvent>
}

/** What an assistant's answer has beside words. */
export interface Equipment {
  belt: ToolBelt
  context: TurnContext
  remembered: Remembered
  history: ContextMessage[]
  facts: Facts
}

/** The tools of a turn and the context that policy judges their calls by; null without any. */
export async function equip(deps: EquipDeps, turn: Turn): Promise<Equipment | null> {
  const { assistant, delegation } = turn
  if (assistant === null) return null
  // Known once the tools are: a task takes over what its giver has read by then.
  const read = Promise.withResolvers<TurnContext>()
  const history = await turn.history()
  const earlier = history.flatMap(({ parts }) => parts)
  const belt = await layOutBelt(deps, { ...turn, assistant, earlier }, (delegates) =>
    createDelegation(deps, turn, assistant, delegates, read.promise),
  )
  if (belt === null) return null
  const context = createTurnContext(belt.tools, delegation?.context)
  context.add({ trusted: assistant.owned, private: true })
  if ([...belt.tools.values()].some(isLinked)) context.add({ trusted: false, private: false })
  // A task is written by an assistant: it is as trustworthy as what that one had read, and names no addresses.
  if (delegation === null) for (const message of history) addMessage(context, message)
  addMessage(context, { role: "assistant", content: "", parts: turn.parts, ownAnswer: true })
  read.resolve(context)
  const remembered = await turn.remembered()
  const facts = await factsFor(deps, turn.userId, belt, turn.messages.at(-1)?.content ?? "")
  return { belt, context, remembered, history, facts }
}

function createDelegation(
  deps: EquipDeps,
  turn: Turn,
  assistant: ChatAssistant,
  delegates: Delegate[],
  read: Promise<TurnContext>,
): Tool {
  const chain = chainOf(turn.delegation, assistant)
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
