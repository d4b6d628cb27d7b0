import type { Source } from "../../../../shared/contract/chat.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { ChatEngine } from "../../../engines/engine.ts"
import { hasFullRights, reachesFolders } from "../../../http/caller.ts"
import { isLinked } from "../../../tools/registry.ts"
import type { Tool, ContextLabel } from "../../../tools/tool.ts"
import { createPartRedactor } from "../../../tools/withheld.ts"
import type { RememberedTools } from "../approvals/approval-store.ts"
import type { FolderSession } from "../folder-tools/session.ts"
import { type CallContext, addMessage, addParts, createCallContext } from "../tool-calls/call-context.ts"
import { roomForResult } from "../tool-calls/engine-messages.ts"
import type { ToolSet } from "../tool-calls/tool-set.ts"
import type { EarlierMessage } from "../transcript/transcript-store.ts"
import { getChain, resolveStanding, offersFolderTools, factsFor, getToolSet } from "./assistant-tools.ts"
import { createDelegateTool, type Delegate, type TaskProgress } from "./delegation/delegate-tool.ts"
import type { Facts } from "./prompt/prompt.ts"
import type { BoxParts } from "./turn-deps.ts"
import { type AnswerEvent, type ChatAssistant, type Delegation, type Turn, usesTools } from "./turn.ts"

/** An answer that is being written. */
export interface OngoingAnswer {
  engine: ChatEngine
  /** Sources that the answer already has. */
  sources: readonly Source[]
  /** Runs a task that the answer's assistant delegates. Throws `forbidden` if the task can't be delegated. */
  runTask(task: Turn, signal: AbortSignal): AsyncIterable<AnswerEvent>
}

interface Delegating {
  /** null: a chat without an assistant. */
  assistant: ChatAssistant | null
  delegates: Delegate[]
  /** The content that the delegating model has read so far. */
  context: Promise<CallContext>
}

/** Creates the tool with which a turn's model delegates tasks. */
function createDelegation(
  box: BoxParts,
  turn: Turn,
  ongoing: OngoingAnswer,
  { assistant, delegates, context }: Delegating,
): Tool {
  const { request, identity, progress } = turn
  const chain = getChain(request.delegation, assistant)
  const standing = resolveStanding(request, assistant)
  return createDelegateTool({
    delegates,
    tasks: progress.tasks,
    async *runTask(delegate, task, taskProgress, { signal }) {
      const asked = await box.assistant(identity.userId, delegate.id)
      if (asked === null) throw gone(delegate.handle)
      const { inherited } = await context
      const given = getTask(turn, asked, task, taskProgress, {
        chain,
        standing,
        inherited,
        isReadRemotely: false,
      })
      yield* ongoing.runTask(given, signal)
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
      isByScopedKey: request.isByScopedKey || assistant.isByScopedKey,
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

/** The tools of a turn, and what its model has read before its first call. */
export interface TurnTools {
  toolSet: ToolSet
  context: CallContext
  remembered: RememberedTools
  history: EarlierMessage[]
  facts: Facts
}

/** Returns the tools of a turn and the context in which policy judges their calls, or null without tools. */
export async function toolsOfTurn(
  box: BoxParts,
  turn: Turn,
  ongoing: OngoingAnswer,
): Promise<TurnTools | null> {
  const { identity, request, progress, ports } = turn
  const { assistant, delegation } = request
  const folderTools = await getFolderTools(box, turn, ongoing)
  if (assistant === null && !usesTools(request) && folderTools.length === 0) return null
  const stored = await ports.history()
  const hasReadFolders = request.scopes !== null && (await ports.hasReadFolders())
  const history = stored.map((message) => {
    const shown = createPartRedactor(request, hasReadFolders)
    return { ...message, parts: message.parts.flatMap((part) => shown(part) ?? []) }
  })
  // The delegating tool needs the context, which needs all tools.
  const known = Promise.withResolvers<CallContext>()
  const toolSet = await getToolSet(
    box,
    ongoing.engine,
    { ...request, userId: identity.userId, earlierParts: history.flatMap(({ parts }) => parts) },
    {
      folderTools,
      toDelegateTool: (assistant, delegates) =>
        createDelegation(box, turn, ongoing, { assistant, delegates, context: known.promise }),
    },
  )
  if (toolSet === null) return null
  const context = createCallContext(toolSet.tools, delegation?.inherited)
  if (assistant?.owned) context.addInstructions(assistant.instructions)
  else if (assistant !== null)
    context.addRead(
      sentence("approvals.instructions_of", { name: assistant.name }),
      assistant.instructions,
      foreignText,
    )
  if ([...toolSet.tools.values()].some(isLinked)) context.add(foreignText)
  // An assistant writes a task, so the task is only as trustworthy as what that assistant had read, and none of it is the user's own text.
  if (delegation === null) for (const message of stored) addMessage(context, message)
  addParts(context, progress.parts, progress.labels)
  // The owner approved tools for the whole chat. This doesn't apply to keys without full rights.
  const remembered: RememberedTools =
    hasFullRights(request) && !request.isByScopedKey ? await ports.rememberedTools() : new Map()
  const facts = await factsFor(box, identity.userId, toolSet, request.messages.at(-1)?.content ?? "")
  for (const fact of facts.texts) context.addRead(sentence("approvals.remembered"), fact, ownFacts)
  known.resolve(context)
  return { toolSet, context, remembered, history, facts }
}

/** Returns the tools for the turn's folders, if it has any and its model supports them. */
async function getFolderTools(
  box: BoxParts,
  { identity: { userId }, request, progress }: Turn,
  { engine, sources }: OngoingAnswer,
): Promise<Tool[]> {
  const { folderReading: reading, search } = box
  if (request.vectorIds.length === 0 || !offersFolderTools(engine)) return []
  const { createCitations } = await import("../folder-tools/session.ts")
  const { createFolderTools } = await import("../folder-tools/folder-tools.ts")
  const citations = createCitations(sources)
  const session: FolderSession = {
    engine,
    reading,
    search: (wanted) => search({ ...wanted, generated: request.generated, filter: request.filter }),
    granted: () => grantedNow(box, userId, request.assistant),
    citations,
    boxAddress: request.boxAddress,
    room: () => roomForResult(engine, progress.spent.tokens),
  }
  return createFolderTools(reading, () => session)
}

/** Returns the folders of an assistant if the user may still use it. It may have been changed or unshared since the question. */
async function grantedNow(
  box: Pick<BoxParts, "assistant">,
  userId: string,
  assistant: ChatAssistant | null,
): Promise<readonly string[]> {
  if (assistant === null || assistant.vectorIds.length === 0) return []
  try {
    return (await box.assistant(userId, assistant.id))?.vectorIds ?? []
  } catch (error) {
    if (error instanceof AppError) return [] // it was disabled
    throw error
  }
}

/** Written by other authors, but not private. */
export const foreignText: ContextLabel = { trusted: false, private: false }
const ownFacts: ContextLabel = { trusted: true, private: true }
