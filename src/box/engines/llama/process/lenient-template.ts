import type { ChatHistoryItem, ChatWrapper } from "node-llama-cpp"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"

/** User message inserted when a template rejects a chat that starts with the model's message. It keeps the model's messages as they are. */
const opening = "(You begin this conversation.)"

/** Maximum number of characters shown of a template's reason: templates come from downloaded models. */
const maxReasonLength = 300

/**
 * Wraps a model's chat template so that it also accepts chats that start with a message from the model. Throws AppError `validation` with
 * the template's reason for a chat that it rejects.
 */
export function lenient(wrapper: ChatWrapper): ChatWrapper {
  return Object.assign(Object.create(wrapper) as ChatWrapper, {
    generateContextState(options: Parameters<ChatWrapper["generateContextState"]>[0]) {
      try {
        return wrapper.generateContextState(options)
      } catch (error) {
        const chatHistory = ensureUserOpening(options.chatHistory)
        if (chatHistory === null) throw refusal(error)
        try {
          return wrapper.generateContextState({ ...options, chatHistory })
        } catch {
          throw refusal(error)
        }
      }
    },
  })
}

/** Returns the chat with an opening user message. Returns null if the user already opens it, or if it is empty. */
function ensureUserOpening(history: readonly ChatHistoryItem[]): ChatHistoryItem[] | null {
  const first = history.findIndex(({ type }) => type !== "system")
  const item = history[first]
  if (item?.type !== "model" || item.response.length === 0) return null
  return [...history.slice(0, first), { type: "user", text: opening }, ...history.slice(first)]
}

function refusal(error: unknown): AppError {
  const reason = (error instanceof Error ? error.message : String(error)).slice(0, maxReasonLength)
  return new AppError("validation", sentence("llama.template_refuses", { reason }))
}
