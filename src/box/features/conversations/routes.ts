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
    update: async ({ caller, params, body }) => ({
      chat: await conversations.update(caller.userId, params.id, body),
    }),
    async remove({ caller, params }) {
      await conversations.remove(caller.userId, params.id)
      return { success: true, id: params.id }
    },
    search: async ({ caller, query }) => ({
      results: await conversations.search(caller.userId, query.query, query.limit),
    }),
    retrieval: async ({ caller, params }) => ({
      retrieval: await conversations.retrieval(caller.userId, params.id, params.messageId),
    }),
    async folder({ caller, params, response }) {
      const { vector, made } = await conversations.folder(caller.userId, params.id)
      if (made) response.status(201)
      return { vector }
    },
  }
}
