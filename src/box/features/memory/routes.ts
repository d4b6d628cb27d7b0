import type { api } from "../../../shared/contract/api.ts"
import type { Handlers } from "../../http/serve.ts"
import type { Memories } from "./service.ts"

/** @param open loads the facts with the first request about them */
export const memoryHandlers = (open: () => Promise<Memories>): Handlers<typeof api.memory> => ({
  list: async ({ caller, query: { limit, offset, search } }) =>
    (await open()).list(caller.userId, { limit, offset }, search),
  remember: async ({ caller, body }) => ({
    memory: await (await open()).remember(caller.userId, body.text, caller),
  }),
  update: async ({ caller, params, body }) => ({
    memory: await (await open()).update(caller.userId, params.id, body.text, caller),
  }),
  async forget({ caller, params }) {
    await (await open()).forget(caller.userId, params.id)
    return { success: true, id: params.id }
  },
  forgetAll: async ({ caller }) => ({ removed: await (await open()).forgetAll(caller.userId) }),
})
