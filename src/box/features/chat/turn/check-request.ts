import type { ChatRequest, AskedFile, ChatMessage } from "../../../../shared/contract/chat.ts"
import { AppError, invalidField } from "../../../../shared/contract/errors.ts"
import { narrows } from "../../../../shared/contract/file-filter.ts"
import type { Notice } from "../../../../shared/contract/folders.ts"
import { createNotice, sentence } from "../../../../shared/sentences/sentences.ts"
import type { ChatEngine } from "../../../engines/engine.ts"
import { reachesFolders, type Caller, requireFolderScope, requireFullRights } from "../../../http/caller.ts"
import type { Whether } from "../reading/deciding/decide-reading.ts"
import type { WholeReadingDeps } from "../reading/read-whole.ts"
import { attachedTo as findAttached } from "../transcript/append-turn.ts"
import { leavesOutAccounts } from "./assistant-tools.ts"
import { followsScopedKey } from "./scoped-key-words.ts"
import { mustStay } from "./staying-chats.ts"
import type { BoxParts, TurnDeps } from "./turn-deps.ts"
import { type ChatAssistant, modelSettings, noModelError, type TurnRequest } from "./turn.ts"

export type CheckDeps = Pick<TurnDeps, "box" | "reading" | "transcript" | "projectOfChat">

/** The instructions and folders that the chat's project adds to a question. */
interface ProjectContext {
  /** The request, completed with the project's folders and assistant. */
  request: ChatRequest
  projectId: string | null
  instructions: string
  /** Whether a scoped key wrote the instructions or chose the assistant. */
  isByScopedKey: boolean
  notices: Notice[]
}

/** Throws `validation` for a project that the caller doesn't have. */
async function resolveProject(
  { box, projectOfChat }: CheckDeps,
  caller: Caller,
  request: ChatRequest,
): Promise<ProjectContext> {
  const { userId } = caller
  const getProject = async (id: string | null) => (id === null ? null : box.project(userId, id))
  const named = request.projectId ?? null
  const requestedProject = await getProject(named)
  if (named !== null && !requestedProject) throw invalidField("projectId", sentence("projects.none_such"))
  const started = await projectOfChat(userId, request.id)
  const project =
    !started || started.projectId === named ? requestedProject : await getProject(started.projectId)
  if (project === null)
    return { request, projectId: null, instructions: "", isByScopedKey: false, notices: [] }
  const hasFolders = project.vectorIds.length > 0
  const folders = reachesFolders(caller) ? project.vectorIds : []
  return {
    request: {
      ...request,
      vector: [...new Set([...(request.vector ?? []), ...folders])],
      assistantId: request.assistantId ?? (await usableAssistant(box, userId, project.assistantId)),
    },
    projectId: project.id,
    instructions: project.instructions,
    isByScopedKey: project.writtenByScopedKey === true,
    notices: hasFolders && !reachesFolders(caller) ? [createNotice("folders_left_out")] : [],
  }
}

/** Returns null if the assistant is gone or disabled; the model then answers the project's questions without it. */
async function usableAssistant(box: BoxParts, userId: string, id: string | null): Promise<string | null> {
  if (id === null) return null
  try {
    return (await box.assistant(userId, id))?.id ?? null
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}

/** The items that a question names besides its text. */
export type NamedInQuestion = Pick<
  ChatRequest,
  "assistantId" | "modelId" | "vector" | "fileIds" | "attachments" | "projectId" | "builtInTools"
>

/**
 * Checks that everything that a question for later names exists and can be reached by the caller. Throws the errors of `checkRequest` for
 * what it names.
 */
export async function requireNamed(
  { box, reading }: CheckDeps,
  caller: Caller,
  chatId: string,
  question: NamedInQuestion,
): Promise<void> {
  const { userId } = caller
  const { projectId = null, attachments = null } = question
  if (projectId !== null && (await box.project(userId, projectId)) === null)
    throw invalidField("projectId", sentence("projects.none_such"))
  const assistant = await requireUsable(box, caller, question).catch((error: unknown) => {
    // It may be switched on again, so the question is stored and waits with this problem.
    if (error instanceof AppError && error.code === "assistant_disabled") return null
    throw error
  })
  await requireTools(box, caller, question)
  await requireFiles(reading, caller, question)
  await getModel(box, question, assistant)
  if (attachments !== null) findAttached({ uploads: await box.uploads(userId, chatId), attachments }, null)
}

/** Validates a question before anything is stored. Throws `not_found`, `forbidden`, `validation`, `no_model` or `too_much_to_read`. */
export async function checkRequest(
  deps: CheckDeps,
  caller: Caller,
  asked: ChatRequest,
): Promise<TurnRequest> {
  const { scopes, origin } = caller
  const projectContext = await resolveProject(deps, caller, asked)
  const { request, projectId } = projectContext
  const { messages, boxAddress, approvals = "wait" } = request
  requireQuestion(request)
  const wanted = readingWanted(request)
  const assistant = await requireUsable(deps.box, caller, request)
  const builtInTools = await requireTools(deps.box, caller, request)
  const fileIds = await requireFiles(deps.reading, caller, request)
  const named = fileIds?.vectorIds ?? foldersAsked(caller, request, assistant)
  const generated = request.includeGenerated ? "all" : (fileIds?.ids ?? [])
  const filter = narrows(request.filter) ? request.filter : null
  const { own, attached } = await attachedTo(deps, caller, request)
  const vectorIds = own === null ? named : [...new Set([...named, own])]
  if (wanted === "whole" && vectorIds.length === 0) throw (await whether()).nothingToRead()
  const { engine, modelId, missing } = await getModel(deps.box, request, assistant)
  const leftOut = [...projectContext.notices, ...findUnreachable(caller, assistant)]
  const notices = [...missing, ...new Map(leftOut.map((notice) => [notice.code, notice])).values()]
  const isRemote = engine?.model.kind === "remote"
  if (isRemote && vectorIds.length === 0 && (await mustStay(deps, caller.userId, request.id)))
    throw new AppError("forbidden", sentence("chat.stays_here", { model: engine.model.id }), modelSettings)
  const failure = engine && (await getFailure(engine))
  if (failure && vectorIds.length === 0) throw failure
  if (vectorIds.length === 0 && !engine) throw noModelError("chat.no_model_nor_folders")
  const modelFailure = failure && failure.sentence
  const reading =
    vectorIds.length === 0
      ? passagesOnly
      : await (
          await whether()
        ).decideReading(deps.reading, {
          userId: caller.userId,
          granted: assistant?.vectorIds ?? [],
          vectorIds,
          fileIds: fileIds?.ids ?? null,
          generated,
          filter,
          attached,
          hasOtherFolders: vectorIds.some((id) => id !== own),
          question: messages.at(-1)?.content ?? "",
          reading: wanted,
          columns: request.table?.columns ?? null,
          engine: async () =>
            failure || (isRemote && (await staysHere(deps, caller, request, vectorIds))) ? null : engine,
        })
  return {
    messages,
    assistant,
    builtInTools,
    projectId,
    projectInstructions: projectContext.instructions,
    isByScopedKey:
      projectContext.isByScopedKey ||
      (await followsScopedKey(deps, caller.userId, asked.id, { assistant, builtInTools })),
    namedVectorIds: request.vector ?? [],
    vectorIds,
    askedFiles: fileIds?.asked ?? null,
    generated,
    rewrite: request.rewrite ?? "auto",
    filter,
    whole: reading.whole,
    boxAddress,
    origin,
    scopes,
    isUnconfirmed: caller.isUnconfirmed === true,
    modelId,
    approvals,
    notices: [...notices, ...reading.notices],
    modelFailure,
    delegation: null,
  }
}

/** The attachments of a question. */
interface Attached {
  /** The folder that contains them; null if there are no documents. */
  own: string | null
  /** IDs of the documents, without images. */
  attached: string[]
  hasPictures: boolean
}

/**
 * Returns the attachments of a question or, if there are no messages yet, those that the chat's next question would have. Empty for a
 * credential that can't access folders. Throws `validation` for other files.
 */
export async function attachedTo(
  { box, transcript }: CheckDeps,
  caller: Caller,
  {
    id,
    messages,
    attachments = null,
  }: Pick<ChatRequest, "id" | "attachments"> & { messages: readonly ChatMessage[] | null },
): Promise<Attached> {
  const ownerId = caller.userId
  const uploads = reachesFolders(caller) ? await box.uploads(ownerId, id) : []
  if (uploads.length === 0) return { own: null, attached: [], hasPictures: false }
  const since =
    attachments === null ? await transcript.findContinuedAt({ ownerId, chatId: id, messages }) : null
  const files = findAttached({ uploads, attachments }, since)
  const { isPicture } = await import("./turn-pictures.ts")
  const attached = files.filter((file) => !isPicture(file)).map(({ fileId }) => fileId)
  const own = attached.length === 0 ? null : await box.getChatFolder(ownerId, id)
  return { own, attached, hasPictures: attached.length < files.length }
}

const passagesOnly: Whether = { whole: null, notices: [] }

/** Loaded with the first question about folders. */
const whether = () => import("../reading/deciding/decide-reading.ts")

/** A table is made from whole documents. Throws `validation` if the request allows only passages. */
function readingWanted({ reading, table }: ChatRequest): NonNullable<ChatRequest["reading"]> {
  if (!table) return reading ?? "auto"
  if (reading === "passages") throw invalidField("table", sentence("reading.table_of_passages"))
  return "whole"
}

export function foldersAsked(
  caller: Caller,
  { vector }: Addressee,
  assistant: ChatAssistant | null,
): string[] {
  const assistantFolderIds = reachesFolders(caller) ? (assistant?.vectorIds ?? []) : []
  return [...new Set([...(vector ?? []), ...assistantFolderIds])]
}

/** Returns the files that a question names and their folders, or null if it names none. Throws `not_found` or `forbidden`. */
export async function requireFiles(
  reading: WholeReadingDeps,
  caller: Caller,
  { fileIds }: Pick<ChatRequest, "fileIds">,
): Promise<{ ids: string[]; vectorIds: string[]; asked: AskedFile[] } | null> {
  if (!fileIds || fileIds.length === 0) return null
  requireFolderScope(caller, fileIds)
  const asked = await (await whether()).findAsked(reading, caller.userId, fileIds)
  return { ids: fileIds, vectorIds: [...new Set(asked.map(({ vectorId }) => vectorId))], asked }
}

type AsksForTools = Pick<ChatRequest, "assistantId" | "builtInTools">

/**
 * Checks the tools that a question names; an assistant has its own. Throws `forbidden` for tools that the credential can't access,
 * `validation` for tools that its user doesn't have.
 */
export async function requireTools(
  { toolbox }: BoxParts,
  caller: Caller,
  { assistantId, builtInTools: named }: AsksForTools,
): Promise<Readonly<Record<string, boolean>>> {
  const builtInTools = assistantId ? {} : (named ?? {})
  if (leavesOutAccounts(caller, { builtInTools }))
    requireFullRights(caller, sentence("chat.tools_need_full_rights"))
  const [unknown] = await toolbox.unknown(caller.userId, Object.keys(builtInTools))
  if (unknown !== undefined)
    throw invalidField(`builtInTools.${unknown}`, sentence("assistants.not_a_tool", { tool: unknown }))
  return builtInTools
}

const staysHere = async (deps: CheckDeps, { userId }: Caller, { id }: ChatRequest, vectorIds: string[]) =>
  (await mustStay(deps, userId, id)) || (await deps.box.stayingFolders(vectorIds)).length > 0

/** Returns the model that should answer: the question's, the assistant's or the selected one. Throws `validation` if it is unknown. */
export async function getModel(
  box: BoxParts,
  { modelId }: Pick<ChatRequest, "modelId">,
  assistant: ChatAssistant | null,
): Promise<{ engine: ChatEngine | null; modelId: string | null; missing: Notice[] }> {
  const wanted = modelId ?? assistant?.modelId ?? null
  const named = wanted === null ? null : await box.namedModel(wanted)
  if (named) return { engine: named, modelId: wanted, missing: [] }
  if (modelId) throw invalidField("modelId", sentence("chat.no_such_model"))
  const engine = box.engine()
  const missing = wanted !== null && engine ? [createNotice("model_missing", { model: engine.model.id })] : []
  return { engine, modelId: null, missing }
}

/** The assistant that should answer, and the folders. */
type Addressee = Pick<ChatRequest, "assistantId" | "vector">

/** Returns the assistant if one should answer. Throws `not_found`, `forbidden` or `assistant_disabled`, and checks the folders too. */
export async function requireUsable(
  box: BoxParts,
  caller: Caller,
  { assistantId, vector }: Addressee,
): Promise<ChatAssistant | null> {
  requireFolderScope(caller, vector)
  const assistant = assistantId ? await requireAssistant(box, caller.userId, assistantId) : null
  const missing = vector && vector.length > 0 ? await box.missingFolders(caller.userId, vector) : []
  if (missing.length > 0) throw new AppError("not_found", sentence("folders.none_such"), { details: missing })
  return assistant
}

export async function requireAssistant(box: BoxParts, userId: string, id: string): Promise<ChatAssistant> {
  const assistant = await box.assistant(userId, id)
  if (!assistant) throw new AppError("not_found", sentence("assistants.none_such"))
  return assistant
}

/** Returns notices about the parts of an assistant that a credential without full rights can't access. */
function findUnreachable(caller: Caller, assistant: ChatAssistant | null): Notice[] {
  if (assistant === null) return []
  const notices: Notice[] = []
  if (!reachesFolders(caller) && assistant.vectorIds.length > 0)
    notices.push(createNotice("folders_left_out"))
  if (leavesOutAccounts(caller, assistant)) notices.push(createNotice("accounts_left_out"))
  return notices
}

/** Returns why a model that failed earlier still can't be used, or null if it can. */
async function getFailure(engine: ChatEngine): Promise<AppError | null> {
  if (engine.state.status !== "failed") return null
  try {
    await engine.countTokens("")
    return null
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}

function requireQuestion({ messages }: ChatRequest): void {
  const last = messages.length - 1
  const newest = messages[last]
  if (newest?.role !== "user") {
    throw invalidField(`messages.${last}.role`, sentence("chat.last_not_users"))
  }
  if (newest.content.trim() === "")
    throw invalidField(`messages.${last}.content`, sentence("chat.message_empty"))
}
