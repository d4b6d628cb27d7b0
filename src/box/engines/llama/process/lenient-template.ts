import type { ChatHistoryItem, ChatWrapper } from "node-llama-cpp"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"

/** User message that is inserted if a template refuses a conversation that the model begins, so that the model's messages stay its own. */
const opening = "(You begin this conversation.)"

/** Characters of a template's reason that are shown at most: templates come with downloaded models. */
const maxReasonLength = 300

/**
 * A model's chat template that also takes conversations which begin with the model. Throws AppError `validation` with the
 * template's reason for a conversation that it doesn't take.
 */
export function lenient(wrapper: ChatWrapper): ChatWrapper {
  return Object.assign(Object.create(wrapper) as ChatWrapper, {
    generateContextState(options: Parameters<ChatWrapper["generateContextState"]>[0]) {
      try {
        return wrapper.generateContextState(options)
      } catch (error) {
        const chatHistory = withOpening(options.chatHistory)
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

/** The conversation with an opening message of the user; null if the user begins it already, or it is empty. */
function withOpening(history: readonly ChatHistoryItem[]): ChatHistoryItem[] | null {
  const first = history.findIndex(({ type }) => type !== "system")
  const item = history[first]
  if (item?.type !== "model" || item.response.length === 0) return null
  return [...history.slice(0, first), { type: "user", text: opening }, ...history.slice(first)]
}

function refusal(error: unknown): AppError {
  const reason = (error instanceof Error ? error.message : String(error)).slice(0, maxReasonLength)
  return new AppError("validation", sentence("llama.template_refuses", { reason }))
}
