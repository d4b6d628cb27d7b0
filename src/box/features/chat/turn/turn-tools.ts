import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { reachesFolders } from "../../../http/caller.ts"
import { isLinked } from "../../../tools/registry.ts"
import { createWithholding } from "../../../tools/withheld.ts"
import type { ContextLabel, Tool } from "../../../tools/tool.ts"
import type { Remembered } from "../tool-calls/call-tools.ts"
import { createDelegateTool, type Delegate } from "./delegate.ts"
import { chainOf, factsFor, layOutBelt, standingFor, type BeltDeps } from "./assistant-tools.ts"
import type { Facts } from "./prompt.ts"
import type { ToolBelt } from "../tool-calls/tool-set.ts"
import { taskLimits, type AnswerEvent, type ChatAssistant, type Turn } from "./turn.ts"
import {
  addMessage,
  addParts,
  createTurnContext,
  type ContextMessage,
  type TurnContext,
} from "../tool-calls/call-context.ts"

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
  const stored = await turn.history()
  const history = stored.map((message) => {
    const shown = createWithholding(turn)
    return { ...message, parts: message.parts.flatMap((part) => shown(part) ?? []) }
  })
  const earlier = history.flatMap(({ parts }) => parts)
  const belt = await layOutBelt(deps, { ...turn, assistant, earlier }, (delegates) =>
    createDelegation(deps, turn, assistant, delegates, read.promise),
  )
  if (belt === null) return null
  const context = createTurnContext(belt.tools, delegation?.handedOn)
  if (assistant.owned) context.addInstructions(assistant.instructions)
  else context.addRead(`the instructions of "${assistant.name}"`, assistant.instructions, foreignText)
  if ([...belt.tools.values()].some(isLinked)) context.add(foreignText)
  // A task is written by an assistant: it is as trustworthy as what that one had read, and nothing in it is the user's.
  if (delegation === null) for (const message of stored) addMessage(context, message)
  addParts(context, turn.parts, turn.labels)
  const remembered = await turn.remembered()
  const facts = await factsFor(deps, turn.userId, belt, turn.messages.at(-1)?.content ?? "")
  for (const fact of facts.texts) context.addRead("what is remembered of you", fact, ownFacts)
  read.resolve(context)
  return { belt, context, remembered, history, facts }
}

/** Of others, and nobody's own. */
export const foreignText: ContextLabel = { trusted: false, private: false }
const ownFacts: ContextLabel = { trusted: true, private: true }

function createDelegation(
  deps: EquipDeps,
  turn: Turn,
  assistant: ChatAssistant,
  delegates: Delegate[],
  read: Promise<TurnContext>,
): Tool {
  const chain = chainOf(turn.delegation, assistant)
  const standing = standingFor(turn, assistant)
  return createDelegateTool({
    delegates,
    tasks: turn.tasks,
    async *answer(delegate, task, progress, { signal }) {
      const asked = await deps.assistant(turn.userId, delegate.id)
      if (asked === null) throw gone(delegate.handle)
      yield* deps.answerTask(
        {
          ...turn,
          messages: [{ role: "user", content: task }],
          assistant: asked,
          vectorIds: reachesFolders(turn) ? asked.vectorIds : [],
          conversationKey: `${turn.conversationKey}/${asked.id}`,
          history: () => Promise.resolve([]),
          ...progress,
          labels: null,
          notices: [],
          limits: taskLimits,
          // Kept is what the answer itself rests on.
          keepRetrieval: () => Promise.resolve(),
          delegation: { chain, standing, handedOn: (await read).handedOn },
        },
        signal,
      )
    },
  })
}

const gone = (handle: string) => new AppError("not_found", sentence("chat.assistant_gone", { handle }))
