import type { MessagePart, Role } from "../../../shared/contract/chat.ts"
import { comparableAddress } from "../../tools/policy.ts"
import type { ContextLabel, Tool } from "../../tools/tool.ts"

/** What a model has read when it makes a call, as far as policy needs to know. */
export interface TurnContext {
  readonly labels: readonly ContextLabel[]
  /** Addresses that the user wrote or a search returned. */
  readonly knownAddresses: ReadonlySet<string>
  add(label: ContextLabel): void
  /** The user's own words. */
  addUserText(text: string): void
  /** A result of the tool of this name. */
  addResult(toolName: string, result: unknown): void
}

/** A stored message of the conversation. */
export interface ContextMessage {
  role: Role
  content: string
  parts: readonly MessagePart[]
  /** The box wrote it; what a caller says that an assistant said may come from anywhere. */
  ownAnswer: boolean
}

const ownText: ContextLabel = { trusted: true, private: true }
const foreignText: ContextLabel = { trusted: false, private: true }
/** The only tool whose results name addresses that may be fetched. */
const searchKey = "webSearch"

/** `from`: what a delegate takes over from the one who asks it. */
export function createTurnContext(
  tools: ReadonlyMap<string, Tool>,
  from?: Pick<TurnContext, "labels" | "knownAddresses">,
): TurnContext {
  const labels = new Map<string, ContextLabel>()
  const knownAddresses = new Set(from?.knownAddresses)
  const add = (label: ContextLabel) => void labels.set(`${label.trusted}/${label.private}`, label)
  from?.labels.forEach(add)
  return {
    get labels() {
      return [...labels.values()]
    },
    knownAddresses,
    add,
    addUserText(text) {
      add(ownText)
      for (const address of addressesIn(text)) knownAddresses.add(comparableAddress(address))
    },
    addResult(toolName, result) {
      const tool = tools.get(toolName)
      add(tool?.result ?? foreignText)
      if (tool?.key === searchKey)
        for (const address of addressesOf(result)) knownAddresses.add(comparableAddress(address))
    },
  }
}

/** Adds what stands in earlier messages, or in an answer that goes on. */
export function addMessage(context: TurnContext, { role, content, parts, ownAnswer }: ContextMessage): void {
  if (role !== "assistant") return context.addUserText(content)
  if (!ownAnswer) context.add(foreignText)
  const names = new Map<string, string>()
  for (const part of parts) {
    if (part.type === "source") context.add(foreignText)
    if (part.type === "tool-call") names.set(part.toolCallId, part.toolName)
    if (part.type === "tool-result") context.addResult(names.get(part.toolCallId) ?? "", part.result)
  }
}

const address = /https?:\/\/[^\s<>"'`\\^{|}]+/giu
const bareName = /(?<![\w@./-])(?:[a-z0-9-]+\.)+[a-z]{2,24}(?:\/[^\s<>"'`\\^{|}]*)?/giu

/** Addresses in a text as people write them: with or without `https://`, at the end of a sentence or in brackets. */
function addressesIn(text: string): string[] {
  const whole = (text.match(address) ?? []).flatMap(endings)
  const bare = (text.replace(address, " ").match(bareName) ?? []).flatMap(endings)
  return [...whole, ...bare.flatMap((name) => [`https://${name}`, `http://${name}`])]
}

/** A full stop or bracket at the end may be the sentence's or the address's own. */
function endings(written: string): string[] {
  const trimmed = written.replace(/[.,;:!?)\]*_]+$/, "")
  return trimmed === written ? [written] : [written, trimmed]
}

const addressFields = new Set(["url", "link", "href"])

/** The addresses that a search's result gives as such, not those that stand in a page's title or text. */
function addressesOf(result: unknown): string[] {
  if (typeof result !== "object" || result === null) return []
  return Object.entries(result).flatMap(([name, value]: [string, unknown]) =>
    typeof value === "string" && addressFields.has(name) ? [value] : addressesOf(value),
  )
}
