import { AppError } from "../../../../../shared/contract/errors.ts"
import { sentence } from "../../../../../shared/sentences/sentences.ts"
import { reachesFolders } from "../../../../http/caller.ts"
import type { Tool } from "../../../../tools/tool.ts"
import type { CallContext } from "../../tool-calls/call-context.ts"
import { chainOf, standingFor } from "../assistant-tools.ts"
import { createDelegateTool, type Delegate, type TaskProgress } from "./delegate-tool.ts"
import type { AnswerEvent, ChatAssistant, Delegation, Turn } from "../turn.ts"

export interface DelegationDeps {
  assistant(userId: string, id: string): Promise<ChatAssistant | null>
  /** A task that reads nothing which its own model, or that of who gave it, may not. Throws `forbidden` where it can't be given. */
  withinWalls(task: Turn, from: Turn): Promise<Turn>
  /** The answer of a turn. */
  answer(turn: Turn, signal: AbortSignal): AsyncIterable<AnswerEvent>
}

/** The tool by which a turn's assistant, or a chat without one, gives tasks to others; `context` is what it has read by then. */
export function createDelegation(
  deps: DelegationDeps,
  turn: Turn,
  assistant: ChatAssistant | null,
  delegates: Delegate[],
  context: Promise<CallContext>,
): Tool {
  const { request, identity, progress } = turn
  const chain = chainOf(request.delegation, assistant)
  const standing = standingFor(request, assistant)
  return createDelegateTool({
    delegates,
    tasks: progress.tasks,
    async *runTask(delegate, task, taskProgress, { signal }) {
      const asked = await deps.assistant(identity.userId, delegate.id)
      if (asked === null) throw gone(delegate.handle)
      const { inherited } = await context
      const given = taskOf(turn, asked, task, taskProgress, {
        chain,
        standing,
        inherited,
        isReadElsewhere: false,
      })
      yield* deps.answer(await deps.withinWalls(given, turn), signal)
    },
  })
}

/** The turn of a task: asked by another assistant, of the same person and chat. */
function taskOf(
  { identity, request, progress, ports }: Turn,
  assistant: ChatAssistant,
  task: string,
  taskProgress: TaskProgress,
  delegation: Delegation,
): Turn {
  return {
    identity: { ...identity, conversationKey: `${identity.conversationKey}/${assistant.id}` },
    request: {
      ...request,
      messages: [{ role: "user", content: task }],
      assistant,
      modelId: assistant.modelId,
      vectorIds: reachesFolders(request) ? assistant.vectorIds : [],
      askedFiles: null,
      whole: null,
      notices: [],
      delegation,
    },
    progress: Object.assign(taskProgress, { decisions: progress.decisions, sent: progress.sent }),
    ports: {
      ...ports,
      history: () => Promise.resolve([]),
      attachments: () => Promise.resolve(new Map()),
      // Kept is what the answer itself rests on.
      keepRetrieval: () => Promise.resolve(),
    },
  }
}

const gone = (handle: string) => new AppError("not_found", sentence("chat.assistant_gone", { handle }))
