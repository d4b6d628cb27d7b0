import type { AskedFile, Attachment, MessagePart, Source } from "../../../../shared/contract/chat.ts"
import { untilAborted } from "../../../core/waiting/abort-and-timeout.ts"
import type { ChatEngine } from "../../../engines/engine.ts"
import { reachesFolders } from "../../../http/caller.ts"
import type { AttachedReader } from "../grounding/fit-passages.ts"
import type { PassageRequest, RewriteQuestion, SearchFolders } from "../grounding/find-passages.ts"
import { offersFolderTools, resolveStandingNow } from "./assistant-tools.ts"
import type { ToolLimits, ToolUse } from "../tool-calls/call-tools.ts"
import type { ReadingScope } from "../reading/library.ts"
import { runModelLoop } from "./model-loop.ts"
import { noteRead, getPrompt, type Given } from "./prompt/turn-prompt.ts"
import { toolsOfTurn, type OngoingAnswer, type TurnTools } from "./turn-tools.ts"
import { modelOfTurn, type BoxParts, type TurnDeps } from "./turn-deps.ts"
import type { TurnPictures } from "./turn-pictures.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import { stayingNotice } from "./staying-chats.ts"
import { readableText, readsFolders, type QuotingNotice } from "../../../tools/withheld.ts"
import { usesTools, type AnswerEvent, type Turn, type TurnRequest, noUsage } from "./turn.ts"
import { createNotice, sentence } from "../../../../shared/sentences/sentences.ts"

export type AnswerDeps = Pick<TurnDeps, "box" | "reading">

/** Limits of an answer, and of a task delegated in it. */
const answerLimits: ToolLimits = { calls: 16, milliseconds: 300_000 }
const taskLimits: ToolLimits = { calls: 8, milliseconds: 240_000 }

/** Yields the events of one answer, with `finish` last: passages from folders first, then the model's text and calls, or quotations. */
export async function* answer(
  deps: AnswerDeps,
  asked: Turn,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent> {
  const turn = await hideFolderWords(asked)
  const { request, progress } = turn
  const model = request.modelFailure === null ? await modelOfTurn(deps.box, request.modelId) : null
  const staysHere = await turn.ports.staysHere(request.vectorIds)
  const isWithheld = staysHere && model?.model.kind === "remote"
  const engine = isWithheld ? null : model
  const isResumed = progress.parts.length > 0
  if (isResumed && isWithheld) return yield* withholding(model)
  for (const notice of isResumed ? [] : openingNotices(turn, model, isWithheld)) yield notice
  if (engine && request.whole && !isResumed) {
    const { answerFromAll, isAboutPictures } = await import("./answer-from-all.ts")
    if (!(await isAboutPictures(turn, request.whole)))
      return yield* answerFromAll(deps, engine, turn, request.whole, signal)
  }
  const pictures = engine ? yield* getPictures(deps.box, engine, turn, signal) : noPictures
  let found: FoundSources = { sources: null, said: [] }
  if (request.vectorIds.length > 0)
    found = isResumed
      ? { sources: foundBefore(progress.parts), said: [] }
      : yield* findSources(deps, engine, turn, { pictures, staysHere }, signal)
  const { sources } = found
  if (signal.aborted) return yield finish("aborted")
  if (engine) return yield* generate(deps, engine, turn, { ...found, pictures }, signal)
  const { quoteSources } = await import("../grounding/quote.ts")
  yield* quoteSources(sources ?? [], request.messages)
  yield finish("stop")
}

/** Hides quoted passages in earlier answers, and file names in earlier questions, from the model if the question's credential doesn't read folders. */
async function hideFolderWords(turn: Turn): Promise<Turn> {
  const { request, ports } = turn
  if (readsFolders(request) || request.delegation !== null) return turn
  const stored = await ports.history()
  const names = stored.flatMap(({ fileNames }) => fileNames)
  const { hideFileNames } = await import("../transcript/named-files.ts")
  const messages = request.messages.map((message, index) => {
    const { role, content } = message
    const parts = stored[index]?.parts ?? []
    const isAnswer = role === "assistant"
    return {
      ...message,
      content: isAnswer ? readableText({ content, parts }, request) : hideFileNames(content, names),
    }
  })
  return { ...turn, request: { ...request, messages } }
}

/** Returns the passages that an answer started with. Passages found later by its tools are in their results. */
function foundBefore(parts: readonly MessagePart[]): Source[] {
  const firstCall = parts.findIndex(({ type }) => type === "tool-call")
  return getSources(firstCall === -1 ? parts : parts.slice(0, firstCall))
}

const getSources = (parts: readonly MessagePart[]) => parts.filter((part) => part.type === "source")

const finish = (finishReason: "aborted" | "stop"): AnswerEvent => ({
  type: "finish",
  finishReason,
  usage: noUsage,
  model: null,
  waiting: [],
})

/** Ends an answer whose model may no longer receive what it has read. */
function* withholding({ model }: ChatEngine): Generator<AnswerEvent> {
  yield { type: "notice", ...stayingNotice(model.id) }
  yield finish("stop")
}

function openingNotices({ request }: Turn, engine: ChatEngine | null, isWithheld: boolean): AnswerEvent[] {
  const notices: AnswerEvent[] = request.notices.map((notice) => ({ type: "notice", ...notice }))
  if (engine && isWithheld) notices.unshift(quoting("stays_here", { model: engine.model.id }))
  else if (engine && isToBeLoaded(engine))
    notices.push({ type: "notice", ...createNotice("model_loading", { model: engine.model.id }) })
  if (request.modelFailure !== null) {
    notices.unshift(quoting("model_unavailable", { what: request.modelFailure }))
  } else if (!engine) {
    notices.unshift(quoting("no_model"))
  }
  return notices
}

/** The notice of an answer that quotes passages. Without it, credentials that don't reach folders could read the answer. */
const quoting = <Code extends QuotingNotice>(
  ...notice: Parameters<typeof createNotice<Code>>
): AnswerEvent => ({
  type: "notice",
  ...createNotice<Code>(...notice),
})

const isToBeLoaded = ({ model, state }: ChatEngine) =>
  model.kind === "local" && (state.status === "idle" || state.status === "loading")

const noPictures: TurnPictures = new Map()

/** Finds the images of the chat. The code is loaded with the first attachment. */
async function* getPictures(
  box: BoxParts,
  engine: ChatEngine,
  turn: Turn,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent, TurnPictures> {
  if ((await turn.ports.attachments()).size === 0) return noPictures
  const { findPictures } = await import("./turn-pictures.ts")
  return yield* findPictures(box, engine, turn, signal)
}

type FoundSources = Pick<Given, "sources" | "said">

/** Finds the passages for the answer and stores why they were chosen. */
async function* findSources(
  deps: AnswerDeps,
  engine: ChatEngine | null,
  turn: Turn,
  { pictures, staysHere }: { pictures: TurnPictures; staysHere: boolean },
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent, FoundSources> {
  const { request, ports } = turn
  const { search: searchAll } = deps.box
  const hasTools = usesTools(request) || (engine !== null && offersFolderTools(engine))
  const { findGrounding } = await import("../grounding/grounding.ts")
  const { findPending, describePending, withoutFound } = await import("../reading/pending-files.ts")
  // a stop doesn't wait for a search or a loading model
  const { generated, filter, askedFiles } = request
  const search: SearchFolders =
    askedFiles === null
      ? (wanted) => searchAll({ ...wanted, generated, filter })
      : searchFiles(searchAll, askedFiles, { generated, filter })
  const rewriteQuestion = engine && (await createTurnRewriter(deps.box, engine, turn, signal))
  const attached = await attachedReader(deps, turn, { staysHere, rewriteQuestion })
  const pending = await findPending(deps.reading.library, await pendingScope(deps.box, turn))
  const found = findGrounding(
    { engine, search, attached, rewriteQuestion },
    { ...request, staysHere, hasTools },
  )
  const grounding = await untilAborted(found, signal)
  if (!grounding) return { sources: [], said: [] }
  await ports.storeRetrieval(grounding.retrieval)
  if (grounding.sources.length === 0 && pictures.size > 0) {
    const { asksPicturesOnly } = await import("./turn-pictures.ts")
    if (await asksPicturesOnly(deps.box, turn, pictures)) return { sources: null, said: grounding.said }
  }
  const notices = [...grounding.notices, ...describePending(withoutFound(pending, grounding.sources))]
  for (const notice of notices) yield { type: "notice", ...notice }
  for (const source of grounding.sources) yield { type: "source", ...source }
  return grounding
}

/** Returns null if the question is searched for as it is written. The folders and the attachments are searched with the same query. */
async function createTurnRewriter(
  { logger, recordTokens }: BoxParts,
  engine: ChatEngine,
  { identity: { userId, conversationKey }, request, ports }: Turn,
  signal: AbortSignal,
): Promise<RewriteQuestion | null> {
  if (request.rewrite === "off") return null
  const { createRewriter } = await import("../reading/rewrite-question.ts")
  return createRewriter({
    engine,
    conversationKey: `${conversationKey}/query`,
    signal,
    mayBeSent: async () => engine.model.kind === "local" || !(await ports.staysHere(request.vectorIds)),
    recordTokens: (tokens) => recordTokens(userId, tokens),
    logger,
  })
}

/** The scope of a question without its attachments, which are reported separately. */
async function pendingScope(
  box: BoxParts,
  { identity: { userId, chatId }, request: { assistant, vectorIds, askedFiles, generated, filter } }: Turn,
): Promise<ReadingScope> {
  const own = await box.getChatFolder(userId, chatId)
  return {
    userId,
    granted: assistant?.vectorIds ?? [],
    vectorIds: vectorIds.filter((id) => id !== own),
    fileIds: askedFiles && askedFiles.map(({ fileId }) => fileId),
    generated,
    filter,
  }
}

/** Reads the chat's attachments other than images. The code is loaded with the first such attachment. */
async function attachedReader(
  { box, reading: { library } }: AnswerDeps,
  { identity: { userId, chatId }, request, ports }: Turn,
  search: Pick<PassageRequest, "staysHere" | "rewriteQuestion">,
): Promise<AttachedReader | undefined> {
  const attachments = reachesFolders(request) ? await ports.attachments() : new Map<number, Attachment[]>()
  if (attachments.size === 0) return undefined
  const { isPicture } = await import("./turn-pictures.ts")
  const { createAttachedReader } = await import("../reading/attached/read-attached.ts")
  const own = await box.getChatFolder(userId, chatId)
  const { messages, vectorIds, rewrite } = request
  const of = (index: number) => (attachments.get(index) ?? []).filter((file) => !isPicture(file))
  return createAttachedReader(
    { library, search: box.search },
    {
      userId,
      newest: of(messages.length - 1),
      earlier: messages
        .slice(0, -1)
        .flatMap((_, index) => of(index))
        .toReversed(),
      messages,
      hasOtherFolders: vectorIds.some((id) => id !== own),
      rewrite,
      ...search,
    },
  )
}

/** Limits the search to these files of the folders. */
const searchFiles =
  (
    search: SearchFolders,
    files: readonly AskedFile[],
    narrowed: Pick<TurnRequest, "generated" | "filter">,
  ): SearchFolders =>
  async (wanted) => {
    const found = await search({ ...wanted, ...narrowed })
    const fileIds = new Set(files.map(({ fileId }) => fileId))
    return { ...found, results: found.results.filter(({ fileId }) => fileIds.has(fileId)) }
  }

async function* generate(
  deps: AnswerDeps,
  engine: ChatEngine,
  turn: Turn,
  given: Given,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent> {
  const { identity, request, progress } = turn
  const { box } = deps
  const sources = progress.parts.length > 0 ? getSources(progress.parts) : (given.sources ?? [])
  const ongoing: OngoingAnswer = {
    engine,
    sources,
    async *runTask(task, taskSignal) {
      yield* answer(deps, await restrictTask(box, task, turn, engine), taskSignal)
    },
  }
  const turnTools = (await untilAborted(toolsOfTurn(box, turn, ongoing), signal)) ?? null
  if (signal.aborted) return yield finish("aborted")
  noteRead(turn, turnTools, given)
  const loop = {
    engine,
    prompt: getPrompt(turn, turnTools, given),
    conversationKey: identity.conversationKey,
    usedCallIds: request.delegation === null ? getCallIds(turnTools, progress.parts) : null,
    tools: turnTools && getToolUse(box, engine, turn, turnTools),
    progress,
    mayBeSent: async () => engine.model.kind === "local" || !(await turn.ports.staysHere(request.vectorIds)),
  }
  for await (const event of runModelLoop(loop, signal))
    // A server reports the name of its model with its first answer.
    yield event.type === "finish" ? { ...event, model: engine.model.id } : event
}

/**
 * Limits what a task reads to what both models may receive: the delegating answer gets the task's result, and the task's answer gets its
 * input.
 */
async function restrictTask(box: BoxParts, task: Turn, from: Turn, giver: ChatEngine): Promise<Turn> {
  const { request, ports } = task
  const { delegation } = request
  const isReadRemotely = giver.model.kind === "remote" || from.request.delegation?.isReadRemotely === true
  const folders = new Set((await box.stayingFolders(request.vectorIds)).map(({ id }) => id))
  if (!isReadRemotely) {
    const model = await modelOfTurn(box, request.modelId)
    if (model?.model.kind === "remote" && (folders.size > 0 || (await ports.staysHere([]))))
      throw new AppError("forbidden", sentence("chat.stays_here", { model: model.model.id }))
    return task
  }
  const vectorIds = request.vectorIds.filter((id) => !folders.has(id))
  return {
    ...task,
    request: { ...request, vectorIds, delegation: delegation && { ...delegation, isReadRemotely } },
  }
}

const getToolUse = (
  box: BoxParts,
  engine: ChatEngine,
  turn: Turn,
  { toolSet, context, remembered }: TurnTools,
): ToolUse => {
  const {
    identity: { userId, chatId, messageId },
    request,
    progress,
    ports,
  } = turn
  return {
    engine,
    toolSet,
    standing: () => resolveStandingNow(box, turn, toolSet.standing),
    context,
    remembered,
    scope: {
      userId,
      chatId,
      messageId,
      // A server's model may get its name with its first answer.
      get author() {
        return { assistantId: request.assistant?.id ?? null, modelId: engine.model.id }
      },
      folderIds: request.vectorIds,
      generated: request.generated,
      filter: request.filter,
      staysHere: () => ports.staysHere([]),
    },
    limits: request.delegation === null ? answerLimits : taskLimits,
    progress,
    storeFile: ports.storeFile,
    logger: box.logger,
  }
}

/** Returns the call IDs of earlier answers and, if this one is resumed, its own. */
const getCallIds = (turnTools: TurnTools | null, soFar: Turn["progress"]["parts"]) =>
  new Set(
    [...(turnTools?.history ?? []).flatMap(({ parts }) => parts), ...soFar].flatMap((part) =>
      part.type === "tool-call" ? [part.toolCallId] : [],
    ),
  )
