import type { MessagePart } from "../../../../shared/contract/chat.ts"
import { coreTools } from "../../../../shared/contract/tools.ts"
import type { ChatEngine } from "../../../engines/engine.ts"
import { hasFullRights, type Rights } from "../../../http/caller.ts"
import { combineStanding, type CallPolicy } from "../../../tools/policy/standing.ts"
import { delegationKey, isLinkedKey, memoryKey, type MissingTool } from "../../../tools/registry.ts"
import type { Tool } from "../../../tools/tool.ts"
import { createToolSet, type ToolSet } from "../tool-calls/tool-set.ts"
import type { Delegate } from "./delegation/delegate-tool.ts"
import { createColumnFacts, type Facts } from "./prompt/prompt.ts"
import type { BoxParts } from "./turn-deps.ts"
import { toolsOn, type ChatAssistant, type Delegation, type Turn, type TurnRequest } from "./turn.ts"

type ToolSources = Pick<BoxParts, "toolbox" | "delegates">

/** Its tools work on files of the turn's folders. */
const filingKey = "filing"

/** The user of an assistant's tools, and the purpose. */
export interface ToolRequest extends Pick<
  TurnRequest,
  | "messages"
  | "assistant"
  | "builtInTools"
  | "delegation"
  | "approvals"
  | "scopes"
  | "isUnconfirmed"
  | "isByScopedKey"
> {
  userId: string
  /** Message parts of the chat so far. */
  earlierParts: readonly MessagePart[]
}

/** Maximum number of assistants in a delegation chain, including the user's own. */
const maxInChain = 4

/** Tools of a turn in addition to those of the box and of accounts. */
export interface OwnTools {
  /** Folder tools; none if the turn has no folders or they aren't offered to its model. */
  folderTools: readonly Tool[]
  /** Creates the tool that delegates tasks. */
  toDelegateTool(assistant: ChatAssistant | null, delegates: Delegate[]): Tool
}

/**
 * Returns the tools of a turn: its assistant's or, without an assistant, the requested ones, plus those of its folders. Returns null if
 * there are none.
 */
export async function getToolSet(
  box: ToolSources,
  engine: ChatEngine,
  request: ToolRequest,
  own: OwnTools,
): Promise<ToolSet | null> {
  const { assistant } = request
  const switchedOn = await switchedOnFor(box, request, own)
  const hasFolders = own.folderTools.length > 0
  const availableTools = hasFolders
    ? switchedOn.tools
    : switchedOn.tools.filter(({ key }) => key !== filingKey)
  const tools = [...availableTools, ...own.folderTools]
  const offered = { tools, missing: switchedOn.missing, standing: resolveStanding(request, assistant) }
  const questions = request.messages.flatMap(({ role, content }) => (role === "user" ? [content] : []))
  return createToolSet(engine, offered, { questions, parts: request.earlierParts })
}

interface SwitchedOn {
  tools: readonly Tool[]
  missing: readonly MissingTool[]
}

async function switchedOnFor(
  box: ToolSources,
  request: ToolRequest,
  { toDelegateTool }: OwnTools,
): Promise<SwitchedOn> {
  const { assistant } = request
  const builtInTools = toolsOn(request)
  const flags = Object.entries(builtInTools)
  const reached = hasFullRights(request) ? flags : flags.filter(([key]) => !isLinkedKey(key))
  const switchedOn = await box.toolbox.switchedOn(request.userId, Object.fromEntries(reached))
  const tools = [...switchedOn.tools]
  const missing = [...switchedOn.missing]
  if (leavesOutAccounts(request, { builtInTools }))
    missing.push({ name: "linked accounts", reason: limitedKey })
  if (builtInTools[delegationKey] === true) {
    const delegates = await getDelegates(box, request, assistant)
    if (typeof delegates === "string") missing.push({ name: coreTools.assistant.name, reason: delegates })
    else tools.push(toDelegateTool(assistant, delegates))
  }
  return { tools, missing }
}

/** Returns whether an assistant has accounts that the caller can't access. */
export const leavesOutAccounts = (
  caller: Rights,
  { builtInTools }: Pick<TurnRequest, "builtInTools">,
): boolean =>
  !hasFullRights(caller) && Object.entries(builtInTools).some(([key, isOn]) => isOn && isLinkedKey(key))
const limitedKey = "the API key that asks has limited rights"

/**
 * Returns the permissions for calls of an assistant, or of a chat without one. Only full rights waive approvals. If a scoped key wrote what
 * the answer follows, the user is asked.
 */
export function resolveStanding(
  {
    delegation,
    approvals,
    isByScopedKey,
    ...rights
  }: Pick<TurnRequest, "delegation" | "approvals" | "scopes" | "isUnconfirmed" | "isByScopedKey">,
  assistant: ChatAssistant | null,
  from: CallPolicy | null = delegation?.standing ?? null,
): CallPolicy {
  const mayWaive = assistant?.owned === true && hasFullRights(rights)
  const mode = assistant?.permissionMode ?? "auto"
  return combineStanding({
    permissionMode: mode === "bypass" && mayWaive && isByScopedKey ? "auto" : mode,
    mayWaive,
    from,
    approvals,
  })
}

/** Returns the permissions for the next calls of an answer: those at its start, unless the assistant's mode is stricter now. */
export async function resolveStandingNow(
  box: Pick<BoxParts, "assistant">,
  { identity, request }: Pick<Turn, "identity" | "request">,
  atStart: CallPolicy,
): Promise<CallPolicy> {
  const { assistant } = request
  if (assistant === null || atStart.mode === "ask") return atStart
  // Null if it was deleted or switched off in the meantime.
  const now = await box.assistant(identity.userId, assistant.id).catch(() => null)
  return now === null ? atStart : resolveStanding(request, now, atStart)
}

/** Returns what an assistant with a memory knows about the user. */
export async function factsFor(
  box: Pick<BoxParts, "facts">,
  userId: string,
  toolSet: ToolSet | null,
  question: string,
): Promise<Facts> {
  const hasMemory = [...(toolSet?.tools.values() ?? [])].some(({ key }) => key === memoryKey)
  return hasMemory ? box.facts(userId, question) : createColumnFacts
}

/** Returns an assistant's instructions and the box's rules for its tools, which start its prompts. */
export const getInstructions = (
  assistant: ChatAssistant | null,
  toolSet: ToolSet | null,
  projectInstructions = "",
): string => [assistant?.instructions, projectInstructions, toolSet?.rules].filter(Boolean).join("\n\n")

/** Returns the assistants that work on the task; the last one may delegate it further. */
export const getChain = (delegation: Delegation | null, assistant: ChatAssistant | null) => [
  ...(delegation?.chain ?? []),
  assistant?.id ?? noAssistant,
]
/** Placeholder ID for a chat without an assistant, which counts as one. No assistant has this ID. */
const noAssistant = ""

/** Returns the assistants that can be given a task, or the reason why there are none. */
async function getDelegates(
  box: ToolSources,
  { userId, delegation }: ToolRequest,
  assistant: ChatAssistant | null,
): Promise<Delegate[] | string> {
  const chain = getChain(delegation, assistant)
  if (chain.length >= maxInChain) return "this task was already handed on as often as it may be"
  const delegates = (await box.delegates(userId)).filter(({ id }) => !chain.includes(id))
  return delegates.length === 0 ? "there is no other assistant to ask" : delegates
}

/** The initial passages fill a smaller context, which has no space for several rounds of results. */
const smallestContext = 8_192

/** Whether a model is offered the folder tools. They only confuse a model that wasn't trained to call functions. */
export const offersFolderTools = ({ model }: ChatEngine): boolean =>
  model.callsFunctions && model.contextSize >= smallestContext
