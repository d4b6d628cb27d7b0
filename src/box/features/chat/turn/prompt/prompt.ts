import type { ChatMessage, Source } from "../../../../../shared/contract/chat.ts"
import type { EngineMessage } from "../../../../engines/engine.ts"
import type { TurnPictures } from "../turn-pictures.ts"
import { citationRules, quotePassages } from "../../grounding/quoted-passages.ts"

/** What is remembered of the user. */
export interface Facts {
  texts: readonly string[]
  /** All there is, which is the same for every question; else what fits the newest one. */
  isAll: boolean
}

export const noFacts: Facts = { texts: [], isAll: true }

export interface PromptInput {
  /** The assistant's own instructions; empty without one. */
  instructions: string
  messages: readonly ChatMessage[]
  /** null when no folders were asked. */
  sources: readonly Source[] | null
  /** What the model reads of an earlier message: an answer's calls and their results too. The message alone unless given. */
  expand?: (message: ChatMessage) => EngineMessage[]
  facts?: Facts
  /** What is attached to the user's messages. */
  pictures?: TurnPictures
  /** What is said of files that are attached to the newest message. */
  said?: readonly string[]
}

/**
 * The messages for the engine. Passages, and facts that were chosen for the newest message, go right before it: what is
 * older stays as it was.
 */
export function buildPrompt({
  instructions,
  messages,
  sources,
  expand,
  facts = noFacts,
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
      if (pictures?.has(message) === true) return [withPictures(message, pictures)]
      return expand?.(message) ?? [message]
    }),
    withPictures(newest, pictures, [...(facts.isAll ? [] : quoteFacts(facts)), ...quoted, ...said]),
  ]
}

/** A message of the user's: pictures before the words, what is said of others after. */
function withPictures(
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
  /** Folders are asked. */
  cites: boolean
  facts: Facts
  /** The caller's own. */
  systemMessages?: readonly string[]
}

/** The prompt prefix: what the prompts of all conversations with the same instructions begin with. The caller's system messages follow. */
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
