import { AppError } from "../../../../../shared/contract/errors.ts"
import { sentence } from "../../../../../shared/sentences/sentences.ts"
import { reachesFolders } from "../../../../http/caller.ts"
import type { Tool } from "../../../../tools/tool.ts"
import type { CallContext } from "../../tool-calls/call-context.ts"
import { getChain, resolveStanding } from "../assistant-tools.ts"
import { createDelegateTool, type Delegate, type TaskProgress } from "./delegate-tool.ts"
import type { AnswerEvent, ChatAssistant, Delegation, Turn } from "../turn.ts"

export interface DelegationDeps {
  assistant(userId: string, id: string): Promise<ChatAssistant | null>
  /** Limits a task to what both its own model and the delegating model may read. Throws `forbidden` if the task can't be delegated. */
  restrictTask(task: Turn, from: Turn): Promise<Turn>
  /** Runs a turn and yields its answer. */
  answer(turn: Turn, signal: AbortSignal): AsyncIterable<AnswerEvent>
}

/** Creates the tool with which a turn's assistant, or a chat without one, delegates tasks. `context` is what it has read so far. */
export function createDelegation(
  deps: DelegationDeps,
  turn: Turn,
  assistant: ChatAssistant | null,
  delegates: Delegate[],
  context: Promise<CallContext>,
): Tool {
  const { request, identity, progress } = turn
  const chain = getChain(request.delegation, assistant)
  const standing = resolveStanding(request, assistant)
  return createDelegateTool({
    delegates,
    tasks: progress.tasks,
    async *runTask(delegate, task, taskProgress, { signal }) {
      const asked = await deps.assistant(identity.userId, delegate.id)
      if (asked === null) throw gone(delegate.handle)
      const { inherited } = await context
      const given = getTask(turn, asked, task, taskProgress, {
        chain,
        standing,
        inherited,
        isReadRemotely: false,
      })
      yield* deps.answer(await deps.restrictTask(given, turn), signal)
    },
  })
}

/** Returns the turn of a task: requested by another assistant, for the same user and chat. */
function getTask(
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
      // Only the retrieval of the answer itself is stored.
      storeRetrieval: () => Promise.resolve(),
    },
  }
}

const gone = (handle: string) => new AppError("not_found", sentence("chat.assistant_gone", { handle }))
