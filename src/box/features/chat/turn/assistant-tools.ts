import type { MessagePart } from "../../../../shared/contract/chat.ts"
import { coreTools } from "../../../../shared/contract/tools.ts"
import type { ChatEngine } from "../../../engines/engine.ts"
import { standingOf, type Standing } from "../../../tools/policy/standing.ts"
import { delegationKey, isLinkedKey, type Toolbox } from "../../../tools/registry.ts"
import type { Tool } from "../../../tools/tool.ts"
import type { Delegate } from "./delegate.ts"
import { noFacts, type Facts } from "./prompt.ts"
import { layOutTools, type ToolBelt } from "../tool-calls/tool-set.ts"
import type { ChatAssistant, Delegation, Turn } from "./turn.ts"

export interface BeltDeps {
  engine: ChatEngine
  toolbox: Toolbox
  delegates(userId: string): Promise<Delegate[]>
  /** What is remembered of the user and fits a question; only for assistants with the tool `memory`. */
  facts(userId: string, question: string): Promise<Facts>
}

const memoryKey = "memory"

interface Asked extends Pick<Turn, "userId" | "messages" | "delegation" | "approvals" | "scopes"> {
  assistant: ChatAssistant
  /** Of the conversation so far. */
  earlier: readonly MessagePart[]
}

/** Assistants that may work one for another, the user's own included. */
const deepest = 4

/** The tools of an assistant for a turn; `delegationTo` makes the one that hands tasks on. null without any. */
export async function layOutBelt(
  deps: BeltDeps,
  turn: Asked,
  delegationTo: (delegates: Delegate[]) => Tool,
): Promise<ToolBelt | null> {
  const { userId, assistant } = turn
  const flags = Object.entries(assistant.builtInTools)
  const reached = turn.scopes === null ? flags : flags.filter(([key]) => !isLinkedKey(key))
  const switchedOn = await deps.toolbox.switchedOn(userId, Object.fromEntries(reached))
  const tools = [...switchedOn.tools]
  const missing = [...switchedOn.missing]
  if (leavesOutAccounts(turn, assistant)) missing.push({ name: "linked accounts", reason: limitedKey })
  if (assistant.builtInTools[delegationKey] === true) {
    const delegates = await delegatesOf(deps, turn)
    if (typeof delegates === "string") missing.push({ name: coreTools.assistant.name, reason: delegates })
    else tools.push(delegationTo(delegates))
  }
  const standing = standingFor(turn, assistant)
  const questions = turn.messages.flatMap(({ role, content }) => (role === "user" ? [content] : []))
  return layOutTools(deps.engine, { tools, missing, standing }, { questions, parts: turn.earlier })
}

/** Whether an assistant has accounts that whoever asks doesn't reach. */
export const leavesOutAccounts = (
  { scopes }: Pick<Turn, "scopes">,
  { builtInTools }: Pick<ChatAssistant, "builtInTools">,
): boolean => scopes !== null && Object.entries(builtInTools).some(([key, isOn]) => isOn && isLinkedKey(key))
const limitedKey = "the API key that asks has limited rights"

/** How calls of an assistant stand to the user; only full rights waive questions. */
export const standingFor = (
  { delegation, approvals, scopes }: Pick<Turn, "delegation" | "approvals" | "scopes">,
  { permissionMode, owned }: ChatAssistant,
): Standing =>
  standingOf({
    permissionMode,
    mayWaive: owned && scopes === null,
    from: delegation?.standing ?? null,
    approvals,
  })

/** What an assistant that has a memory knows of the user. */
export async function factsFor(
  deps: Pick<BeltDeps, "facts">,
  userId: string,
  belt: ToolBelt | null,
  question: string,
): Promise<Facts> {
  const hasMemory = [...(belt?.tools.values() ?? [])].some(({ key }) => key === memoryKey)
  return hasMemory ? deps.facts(userId, question) : noFacts
}

/** An assistant's own words and the box's about its tools, as they stand first in its prompts. */
export const instructionsOf = ({ instructions }: ChatAssistant, belt: ToolBelt | null): string =>
  [instructions, belt?.rules ?? ""].filter(Boolean).join("\n\n")

/** Assistants that have a task on their hands, the one who may give it on last. */
export const chainOf = (delegation: Delegation | null, { id }: ChatAssistant) => [
  ...(delegation?.chain ?? []),
  id,
]

/** Who can be given a task, or why nobody can. */
async function delegatesOf(
  deps: BeltDeps,
  { userId, assistant, delegation }: Asked,
): Promise<Delegate[] | string> {
  const chain = chainOf(delegation, assistant)
  if (chain.length >= deepest) return "this task was already handed on as often as it may be"
  const delegates = (await deps.delegates(userId)).filter(({ id }) => !chain.includes(id))
  return delegates.length === 0 ? "there is no other assistant to ask" : delegates
}
