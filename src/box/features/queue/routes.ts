import type { api } from "../../../shared/contract/api.ts"
import { ChatId } from "../../../shared/contract/chat.ts"
import { invalidField } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { Handlers } from "../../http/serve.ts"
import type { Queue } from "./service.ts"

export function queueHandlers(queue: Queue): Handlers<typeof api.queue> {
  return {
    list: async ({ caller, params }) => ({ entries: await queue.list(caller.userId, params.id) }),
    async add({ caller, params, body, request }) {
      if (!ChatId.safeParse(params.id).success)
        throw invalidField("id", sentence("conversations.id_malformed"))
      const boxAddress = body.boxAddress ?? `http://${request.headers.host ?? "localhost"}`
      return { entry: await queue.add(caller, params.id, { ...body, boxAddress }) }
    },
    change: async ({ caller, params, body }) => ({
      entry: await queue.change(caller, params.id, params.entryId, body),
    }),
    async remove({ caller, params }) {
      await queue.remove(caller.userId, params.id, params.entryId)
      return { success: true, id: params.entryId }
    },
    resume: async ({ caller, params }) => ({ entries: await queue.resume(caller.userId, params.id) }),
    chats: async ({ caller }) => ({ chats: await queue.chats(caller.userId) }),
  }
}
