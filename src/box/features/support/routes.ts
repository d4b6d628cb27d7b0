import type { api } from "../../../shared/contract/api.ts"
import type { Handlers } from "../../http/serve.ts"
import type { Support } from "./service.ts"

export function supportHandlers(open: () => Promise<Support>): Handlers<typeof api.support> {
  return {
    account: async ({ caller }) => ({ account: await (await open()).account(caller.userId) }),
    signIn: async ({ caller, body }) => ({ account: await (await open()).signIn(caller.userId, body) }),
    signOut: async ({ caller }) => ({ account: await (await open()).signOut(caller.userId) }),
    logs: async ({ caller, body }) => (await open()).logs(caller.userId, body.uiLogs),
    list: async ({ caller, query }) => (await open()).list(caller.userId, query),
    create: async ({ caller, body }) => ({ ticket: await (await open()).create(caller.userId, body) }),
    read: async ({ caller, params }) => (await open()).read(caller.userId, params.id),
    change: async ({ caller, params, body }) => ({
      ticket: await (await open()).change(caller.userId, params.id, body),
    }),
    retry: async ({ caller, params }) => ({ ticket: await (await open()).retry(caller.userId, params.id) }),
    async remove({ caller, params }) {
      await (await open()).remove(caller.userId, params.id)
      return { success: true }
    },
  }
}
