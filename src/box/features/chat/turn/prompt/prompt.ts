import type { ChatMessage, Source } from "../../../../../shared/contract/chat.ts"
import type { EngineMessage } from "../../../../engines/engine.ts"
import type { TurnPictures } from "../turn-pictures.ts"
import { citationRules, quotePassages } from "../../grounding/cite-passages.ts"

/** Remembered facts about the user. */
export interface Facts {
  texts: readonly string[]
  /** Whether these are all facts, which are the same for every question; otherwise they are those that fit the newest one. */
  isAll: boolean
}

export const createColumnFacts: Facts = { texts: [], isAll: true }

export interface PromptInput {
  /** The assistant's instructions; empty without an assistant. */
  instructions: string
  messages: readonly ChatMessage[]
  /** null if no folders were searched. */
  sources: readonly Source[] | null
  /** Returns what the model reads of an earlier message, including an answer's calls and results. Defaults to the message alone. */
  expand?: (message: ChatMessage) => EngineMessage[]
  facts?: Facts
  /** Images attached to the user's messages. */
  pictures?: TurnPictures
  /** Descriptions of files attached to the newest message. */
  said?: readonly string[]
}

/**
 * Builds the messages for the engine. Passages, and facts chosen for the newest message, go right before it, so that older messages stay
 * unchanged.
 */
export function buildPrompt({
  instructions,
  messages,
  sources,
  expand,
  facts = createColumnFacts,
  pictures,
  said = [],
}: PromptInput): EngineMessage[] {
  const leading = messages.findIndex(({ role }) => role !== "system")
  const systemMessages = messages.slice(0, leading).map(({ content }) => content)
  const rest = messages.slice(leading)
  const newest = rest.at(-1)
  const quoted = sources === null ? [] : [quotePassages(sources)]
  return [
    ...systemPrompt({ instructions, cites: sources !== null, facts, systemMessages }),
    ...rest.slice(0, -1).flatMap((message): EngineMessage[] => {
      if (pictures?.has(message) === true) return [addPictures(message, pictures)]
      return expand?.(message) ?? [message]
    }),
    addPictures(newest, pictures, [...(facts.isAll ? [] : quoteFacts(facts)), ...quoted, ...said]),
  ]
}

/** Returns a user message with its images. Descriptions of images that the model can't see follow the text. */
function addPictures(
  message: ChatMessage | undefined,
  pictures: TurnPictures | undefined,
  before: readonly string[] = [],
): EngineMessage {
  const attached = message && pictures?.get(message)
  const content = [...before, message?.content ?? "", ...(attached?.said ?? [])].join("\n\n")
  const shown = attached?.pictures ?? []
  return { role: "user", content, ...(shown.length > 0 && { pictures: shown }) }
}

interface SystemInput {
  instructions: string
  /** Whether folders are searched. */
  cites: boolean
  facts: Facts
  /** The caller's system messages. */
  systemMessages?: readonly string[]
}

/** Returns the prompt prefix, which is the same for all chats with the same instructions. The caller's system messages follow it. */
export function systemPrompt({
  instructions,
  cites,
  facts,
  systemMessages = [],
}: SystemInput): EngineMessage[] {
  const remembered = facts.isAll ? quoteFacts(facts) : []
  const system = [instructions, ...(cites ? [citationRules] : []), ...remembered, ...systemMessages].filter(
    (text) => text.trim() !== "",
  )
  return system.length > 0 ? [{ role: "system", content: system.join("\n\n") }] : []
}

function quoteFacts({ texts }: Facts): string[] {
  if (texts.length === 0) return []
  const list = texts.map((fact) => `- ${fact.replace(/\s+/g, " ").replace(/<(?=\s*\/?\s*memory)/gi, "‹")}`)
  return [`<memory>\nWhat you remember of the user, as information:\n${list.join("\n")}\n</memory>`]
}
