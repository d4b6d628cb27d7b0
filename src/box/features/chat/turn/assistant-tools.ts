import type { MessagePart } from "../../../../shared/contract/chat.ts"
import { coreTools } from "../../../../shared/contract/tools.ts"
import type { ChatEngine } from "../../../engines/engine.ts"
import { standingOf, type Standing } from "../../../tools/policy/standing.ts"
import { delegationKey, isLinkedKey, type MissingTool, type Toolbox } from "../../../tools/registry.ts"
import type { Tool } from "../../../tools/tool.ts"
import type { FolderReading } from "../folder-tools/ports.ts"
import { createToolSet, type ToolSet } from "../tool-calls/tool-set.ts"
import type { Delegate } from "./delegating/delegate-tool.ts"
import { noFacts, type Facts } from "./prompt/prompt.ts"
import { toolsOn, type ChatAssistant, type Delegation, type TurnRequest } from "./turn.ts"

export interface AssistantToolsDeps {
  engine: ChatEngine
  toolbox: Toolbox
  folderReading: FolderReading
  delegates(userId: string): Promise<Delegate[]>
  /** What is remembered of the user and fits a question; only for assistants with the tool `memory`. */
  facts(userId: string, question: string): Promise<Facts>
}

const memoryKey = "memory"
/** Its functions are about files of the turn's folders. */
const filingKey = "filing"

/** Who uses an assistant's tools, and for what. */
export interface ToolRequest extends Pick<
  TurnRequest,
  "messages" | "assistant" | "builtInTools" | "delegation" | "approvals" | "scopes" | "isProjectByScopedKey"
> {
  userId: string
  /** Of the conversation so far. */
  earlierParts: readonly MessagePart[]
}

/** Assistants that may work one for another, the user's own included. */
const mostInChain = 4

/** The tools that a turn has beside those of the box and of accounts. */
export interface OwnTools {
  /** Those of its folders; none where it has no folders, or its model isn't told of them. */
  ofFolders: readonly Tool[]
  /** Makes the one that hands tasks on. */
  toDelegateTool(assistant: ChatAssistant | null, delegates: Delegate[]): Tool
}

/** The tools of a turn: its assistant's or, without one, those that were asked for; and those of its folders. null without any. */
export async function toolSetOf(
  deps: AssistantToolsDeps,
  request: ToolRequest,
  own: OwnTools,
): Promise<ToolSet | null> {
  const { assistant } = request
  const switchedOn = await switchedOnFor(deps, request, own)
  const hasFolders = own.ofFolders.length > 0
  const ofBox = hasFolders ? switchedOn.tools : switchedOn.tools.filter(({ key }) => key !== filingKey)
  const tools = [...ofBox, ...own.ofFolders]
  const offered = { tools, missing: switchedOn.missing, standing: standingFor(request, assistant) }
  const questions = request.messages.flatMap(({ role, content }) => (role === "user" ? [content] : []))
  return createToolSet(deps.engine, offered, { questions, parts: request.earlierParts })
}

interface SwitchedOn {
  tools: readonly Tool[]
  missing: readonly MissingTool[]
}

async function switchedOnFor(
  deps: AssistantToolsDeps,
  request: ToolRequest,
  { toDelegateTool }: OwnTools,
): Promise<SwitchedOn> {
  const { assistant } = request
  const builtInTools = toolsOn(request)
  const flags = Object.entries(builtInTools)
  const reached = request.scopes === null ? flags : flags.filter(([key]) => !isLinkedKey(key))
  const switchedOn = await deps.toolbox.switchedOn(request.userId, Object.fromEntries(reached))
  const tools = [...switchedOn.tools]
  const missing = [...switchedOn.missing]
  if (leavesOutAccounts(request, { builtInTools }))
    missing.push({ name: "linked accounts", reason: limitedKey })
  if (builtInTools[delegationKey] === true) {
    const delegates = await delegatesOf(deps, request, assistant)
    if (typeof delegates === "string") missing.push({ name: coreTools.assistant.name, reason: delegates })
    else tools.push(toDelegateTool(assistant, delegates))
  }
  return { tools, missing }
}

/** Whether an assistant has accounts that whoever asks doesn't reach. */
export const leavesOutAccounts = (
  { scopes }: Pick<TurnRequest, "scopes">,
  { builtInTools }: Pick<TurnRequest, "builtInTools">,
): boolean => scopes !== null && Object.entries(builtInTools).some(([key, isOn]) => isOn && isLinkedKey(key))
const limitedKey = "the API key that asks has limited rights"

/**
 * How calls of an assistant, or of a chat without one, stand to the user. Only full rights waive approvals; where a key with scopes wrote
 * the project's instructions, the user is asked.
 */
export function standingFor(
  {
    delegation,
    approvals,
    scopes,
    isProjectByScopedKey,
  }: Pick<TurnRequest, "delegation" | "approvals" | "scopes" | "isProjectByScopedKey">,
  assistant: ChatAssistant | null,
): Standing {
  const mayWaive = assistant?.owned === true && scopes === null
  const mode = assistant?.permissionMode ?? "auto"
  return standingOf({
    permissionMode: mode === "bypass" && mayWaive && isProjectByScopedKey ? "auto" : mode,
    mayWaive,
    from: delegation?.standing ?? null,
    approvals,
  })
}

/** What an assistant that has a memory knows of the user. */
export async function factsFor(
  deps: Pick<AssistantToolsDeps, "facts">,
  userId: string,
  toolSet: ToolSet | null,
  question: string,
): Promise<Facts> {
  const hasMemory = [...(toolSet?.tools.values() ?? [])].some(({ key }) => key === memoryKey)
  return hasMemory ? deps.facts(userId, question) : noFacts
}

/** An assistant's own words and the box's about its tools, as they stand first in its prompts. */
export const instructionsOf = (
  assistant: ChatAssistant | null,
  toolSet: ToolSet | null,
  projectInstructions = "",
): string => [assistant?.instructions, projectInstructions, toolSet?.rules].filter(Boolean).join("\n\n")

/** Assistants that have a task on their hands, the one who may give it on last. */
export const chainOf = (delegation: Delegation | null, assistant: ChatAssistant | null) => [
  ...(delegation?.chain ?? []),
  assistant?.id ?? nobody,
]
/** Stands for a chat without an assistant, which counts as one: no assistant has this id. */
const nobody = ""

/** Who can be given a task, or why nobody can. */
async function delegatesOf(
  deps: AssistantToolsDeps,
  { userId, delegation }: ToolRequest,
  assistant: ChatAssistant | null,
): Promise<Delegate[] | string> {
  const chain = chainOf(delegation, assistant)
  if (chain.length >= mostInChain) return "this task was already handed on as often as it may be"
  const delegates = (await deps.delegates(userId)).filter(({ id }) => !chain.includes(id))
  return delegates.length === 0 ? "there is no other assistant to ask" : delegates
}
