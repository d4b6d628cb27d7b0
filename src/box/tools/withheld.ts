import type { MessagePart, PendingApproval } from "../../shared/contract/chat.ts"
import { coreTools, finderName, isFilingTool, isFolderTool } from "../../shared/contract/tools.ts"
import type { Caller } from "../http/caller.ts"
import { hasReadFiles, mentionsInputs } from "./code-interpreter/input-files.ts"
import { delegationKey } from "./registry.ts"
import { sentence } from "../../shared/sentences/sentences.ts"

const noFolders = { error: "Left out: the API key has limited rights and doesn't reach folders." }
const noAccounts = { error: "Left out: the API key has limited rights and doesn't reach linked accounts." }

/** Stands for the name of a file, as in the prompts of automations. */
export const fileNamePlaceholder = "{{file.name}}"

/** Whether a credential may read folder content, through a scope that can also read it directly. */
export const readsFolders = ({ scopes }: Pick<Caller, "scopes">): boolean =>
  scopes === null || scopes.includes("folders") || scopes.includes("read-only")

const isOwnTool = (toolName: string) =>
  Object.hasOwn(coreTools, toolName) ||
  toolName === finderName ||
  isFolderTool(toolName) ||
  isFilingTool(toolName)

/** Notices of answers that no model wrote. Their text is quoted from passages. */
export const quotingNotices = ["no_model", "model_unavailable", "stays_here"] as const
export type QuotingNotice = (typeof quotingNotices)[number]

const isQuoting = (part: { type: string }): boolean =>
  isNotice(part) && (quotingNotices as readonly string[]).includes(part.code)

/** Returns what a model may read of an earlier answer for this credential: its text, unless it is quoted from passages. */
export const readableText = (
  { content, parts }: { content: string; parts: readonly MessagePart[] },
  caller: Pick<Caller, "scopes">,
): string => (parts.some(isQuoting) && !readsFolders(caller) ? noFolders.error : content)

/** The sources of a delegated task's files, apart from its assistant's words. Part of the result of the delegating call. */
export interface TaskOrigins {
  /** Number of files made from connected accounts, and from programs that read folders. */
  filesOfAccounts?: number
  filesOfFolders?: number
  /** Names of the documents that the task's assistant read. */
  documents?: string[]
}

/**
 * Removes from an answer's parts or events, in order, what a credential can't access: folder passages, including quoted ones; calls that
 * name a folder's files; results from connected accounts; and programs that read a folder's files or were written after their model had
 * read them. Returns null if the part is left out.
 *
 * @param hasReadFolders whether the model has read from folders, in this answer or earlier; it may have copied what it read into programs
 * written afterwards
 */
export function createPartRedactor(
  caller: Pick<Caller, "scopes">,
  hasReadFolders = false,
): <P extends MessagePart | { type: string }>(part: P) => P | null {
  const ownCalls = new Map<string, string>()
  /** Calls whose results were shown, so that the files they made may be shown too. */
  const shownCalls = new Set<string>()
  let isQuoted = false
  const holdsFolders = (toolName: string, result: unknown): boolean =>
    isOfFolderFiles(toolName, result) || (toolName === "codeInterpreter" && hasReadFolders)
  return (part) => {
    if (caller.scopes === null) return part
    if (isOfFolders(part) || (isCall(part) && isOfFolderTool(part))) hasReadFolders = true
    if (isQuoting(part)) isQuoted = true
    if (isQuoted && isText(part) && !readsFolders(caller)) return null
    if (isOfFolders(part) && !readsFolders(caller)) return null
    if (isProgress(part) && !readsFolders(caller)) return { ...part, fileName: undefined }
    if (isError(part) && !readsFolders(caller)) return hideAttachment(part)
    if (isCall(part) && isOwnTool(part.toolName)) ownCalls.set(part.toolCallId, part.toolName)
    if (isAsked(part)) return redactOrigin(part, caller)
    if (isCall(part) && !readsFolders(caller)) {
      const isCopied =
        (hasReadFolders && mayCopy(part)) ||
        (part.toolName === "codeInterpreter" && mentionsInputs(getCode(part)))
      return isCopied || isOfFolderTool(part) ? { ...part, args: {} } : part
    }
    if (isMade(part) && !shownCalls.has(part.toolCallId)) return null
    if (!isResult(part)) return part
    // A call that wasn't seen, because the stream is followed from the middle, may belong to an account.
    const toolName = ownCalls.get(part.toolCallId)
    if (toolName === undefined) return { ...part, result: noAccounts }
    if (holdsFolders(toolName, part.result)) {
      hasReadFolders = true
      if (!readsFolders(caller)) return { ...part, result: noFolders }
    }
    // A task's text may contain what its author read from a folder.
    const isTaskOfFolders = toolName === delegationKey && hasReadFolders && !readsFolders(caller)
    if (!isTaskOfFolders && !(toolName === delegationKey && hasOrigin(part.result, "filesOfAccounts")))
      shownCalls.add(part.toolCallId)
    return part
  }
}

/** Returns a waiting call without names or contents of documents and folders that a credential can't access. */
export function redactOrigin<
  A extends Pick<PendingApproval, "toolName" | "args" | "reason" | "reasonCode" | "sentence">,
>(approval: A, caller: Pick<Caller, "scopes">): A {
  if (readsFolders(caller)) return approval
  const { toolName, reasonCode } = approval
  // This code doesn't know what the model had read before it made the call.
  const args = isOfFolderTool(approval) || mayCopy(approval) ? {} : approval.args
  const isOfFiles = isFilingTool(toolName)
  if (reasonCode !== "untrusted" && !isOfFiles) return { ...approval, args }
  const { text, field } = sentence(isOfFiles ? "approvals.changes_something" : "approvals.says_more")
  return { ...approval, args, reason: text, ...field }
}

/** Counts an answer's files that come from connected accounts, and from programs that read folders. */
export function countOrigins(parts: readonly MessagePart[]): TaskOrigins {
  const filesFor = (scopes: Caller["scopes"]) => {
    const shown = createPartRedactor({ scopes })
    return parts.filter((part) => shown(part)?.type === "file").length
  }
  const filesWithoutAccounts = filesFor(["folders"])
  const filesOfAccounts = filesFor(null) - filesWithoutAccounts
  const filesOfFolders = filesWithoutAccounts - filesFor([])
  return { ...(filesOfAccounts > 0 && { filesOfAccounts }), ...(filesOfFolders > 0 && { filesOfFolders }) }
}

const isOfFolderTool = ({ toolName }: Pick<Part<"tool-call">, "toolName">): boolean =>
  isFolderTool(toolName) || isFilingTool(toolName)

/** Whether a call's arguments may contain what its model has read, and aren't shown elsewhere as the answer's own words. */
const mayCopy = ({ toolName }: Pick<Part<"tool-call">, "toolName">): boolean =>
  toolName === "codeInterpreter" || toolName === "memory"

const getCode = ({ args }: Pick<Part<"tool-call">, "args">): string =>
  typeof args === "object" && args !== null && "code" in args ? String(args.code) : String(args)

const isOfFolderFiles = (toolName: string, result: unknown): boolean =>
  isOfFolderTool({ toolName }) ||
  namesDocument(result) ||
  (toolName === "codeInterpreter" && hasReadFiles(result)) ||
  (toolName === delegationKey && (hasOrigin(result, "documents") || hasOrigin(result, "filesOfFolders")))

/** Whether the result is a refusal that names the document a word comes from. */
const namesDocument = (result: unknown): boolean =>
  typeof result === "object" &&
  result !== null &&
  "error" in result &&
  String(result.error).includes(" comes from the file ")

/** Whether a task's result mentions such an origin. A shortened result is a text, and may have mentioned any. */
const hasOrigin = (result: unknown, origin: keyof TaskOrigins): boolean =>
  typeof result === "string"
    ? result.startsWith('{"')
    : typeof result === "object" && result !== null && origin in result

type Part<Type extends MessagePart["type"]> = Extract<MessagePart, { type: Type }>
const isCall = (part: { type: string }): part is Part<"tool-call"> => part.type === "tool-call"
const isResult = (part: { type: string }): part is Part<"tool-result"> => part.type === "tool-result"
type Asked = { type: "tool-approval-request" } & PendingApproval
type Progress = { type: "progress"; fileName?: string | undefined }
const isProgress = (part: { type: string }): part is Progress => part.type === "progress"
const isAsked = (part: { type: string }): part is Asked => part.type === "tool-approval-request"
const isNotice = (part: { type: string }): part is Part<"notice"> => part.type === "notice"
/** Notices that name files in folders, including attachments. */
const namingNotices = new Set(["files_being_read", "attachment_unread", "attachment_in_part"])
/** Whether a part comes from a folder's files or names them. */
const isOfFolders = (part: { type: string }): boolean =>
  part.type === "source" || part.type === "coverage" || (isNotice(part) && namingNotices.has(part.code))
const isError = (part: { type: string }): part is Part<"error"> => part.type === "error"
/** Removes the name of an image that couldn't be shown to the model. */
function hideAttachment<P extends Part<"error">>(part: P): P {
  const { sentence: said } = part
  const name = said?.code === "pictures.one_of" ? said.values?.["name"] : undefined
  if (said === undefined || typeof name !== "string") return part
  const values = { ...said.values, name: fileNamePlaceholder }
  return {
    ...part,
    error: part.error.replace(name, () => fileNamePlaceholder),
    sentence: { ...said, values },
  }
}
const isText = ({ type }: { type: string }) => type === "text" || type === "text-delta"
const isMade = (part: { type: string }): part is Part<"file" | "widget" | "chart"> =>
  part.type === "file" || part.type === "widget" || part.type === "chart"
