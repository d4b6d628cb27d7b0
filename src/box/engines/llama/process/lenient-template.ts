import type { ChatHistoryItem, ChatWrapper } from "node-llama-cpp"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"

/** Said by the user where a template takes no conversation that the model begins: the model's words stay its own. */
const opening = "(You begin this conversation.)"

/** Longest reason that is shown, in characters: a template is what somebody else made. */
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
        const chatHistory = begunByUser(options.chatHistory)
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

/** Null where the user begins, or nobody has said anything. */
function begunByUser(history: readonly ChatHistoryItem[]): ChatHistoryItem[] | null {
  const first = history.findIndex(({ type }) => type !== "system")
  const item = history[first]
  if (item?.type !== "model" || item.response.length === 0) return null
  return [...history.slice(0, first), { type: "user", text: opening }, ...history.slice(first)]
}

function refusal(error: unknown): AppError {
  const reason = (error instanceof Error ? error.message : String(error)).slice(0, maxReasonLength)
  return new AppError("validation", sentence("llama.template_refuses", { reason }))
}
