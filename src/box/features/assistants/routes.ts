import type { api } from "../../../shared/contract/api.ts"
import type { Handlers } from "../../http/serve.ts"
import type { Toolbox } from "../../tools/registry.ts"
import type { Assistants } from "./service.ts"

export function assistantHandlers(assistants: Assistants): Handlers<typeof api.assistants> {
  return {
    list: ({ caller, query: { limit, offset, search } }) =>
      assistants.list(caller.userId, { limit, offset }, search),
    handle: ({ caller, query: { wanted, assistantId } }) =>
      assistants.handleFor(caller.userId, wanted, assistantId),
    create: async ({ caller, body }) => ({ assistant: await assistants.create(caller.userId, body) }),
    read: async ({ caller, params }) => ({ assistant: await assistants.read(caller.userId, params.id) }),
    update: async ({ caller, params, body }) => ({
      assistant: await assistants.update(caller.userId, params.id, body),
    }),
    async remove({ caller, params }) {
      await assistants.remove(caller.userId, params.id)
      return { success: true, id: params.id }
    },
  }
}

/** Every key that assistants may carry, and whether it can be used now. */
export const toolHandlers = (toolbox: Pick<Toolbox, "list">): Handlers<typeof api.tools> => ({
  list: async ({ caller }) => ({ tools: await toolbox.list(caller.userId) }),
})
