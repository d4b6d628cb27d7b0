import type { api } from "../../../shared/contract/api.ts"
import { coreTools, integrationTools, type Tool } from "../../../shared/contract/tools.ts"
import type { Handlers } from "../../http/serve.ts"
import type { Assistants } from "./service.ts"

export function assistantHandlers(assistants: Assistants): Handlers<typeof api.assistants> {
  return {
    list: ({ caller, query: { limit, offset, search } }) =>
      assistants.list(caller.userId, { limit, offset }, search),
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

/** Every key that assistants may carry. None can be used yet: `linked` says so. */
export const toolHandlers: Handlers<typeof api.tools> = {
  list: () => ({ tools: [...describe(coreTools, "core"), ...describe(integrationTools, "integration")] }),
}

function describe(tools: typeof coreTools | typeof integrationTools, group: Tool["group"]): Tool[] {
  return Object.entries(tools).map(([key, tool]) => ({ key, ...tool, group, linked: false }))
}
