import type { api } from "../../../shared/contract/api.ts"
import type { Handlers } from "../../http/serve.ts"
import type { Conversations } from "./service.ts"

export function conversationHandlers(conversations: Conversations): Handlers<typeof api.conversations> {
  return {
    list: ({ caller, query: { limit, offset, ...filter } }) =>
      conversations.list(caller.userId, { limit, offset }, filter),
    read: async ({ caller, params, query }) => ({
      chat: await conversations.read(caller.userId, params.id, query.branch),
    }),
    rename: async ({ caller, params, body }) => ({
      chat: await conversations.rename(caller.userId, params.id, body.title),
    }),
    async remove({ caller, params }) {
      await conversations.remove(caller.userId, params.id)
      return { success: true, id: params.id }
    },
  }
}
