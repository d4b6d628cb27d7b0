import type { api } from "../../../shared/contract/api.ts"
import type { Handlers } from "../../http/serve.ts"
import type { Support } from "./service.ts"

export function supportHandlers(support: Support): Handlers<typeof api.support> {
  return {
    account: async ({ caller }) => ({ account: await support.account(caller.userId) }),
    signIn: async ({ caller, body }) => ({ account: await support.signIn(caller.userId, body) }),
    signOut: async ({ caller }) => ({ account: await support.signOut(caller.userId) }),
    logs: ({ caller, body }) => support.logs(caller.userId, body.uiLogs),
    list: ({ caller, query }) => support.list(caller.userId, query),
    create: async ({ caller, body }) => ({ ticket: await support.create(caller.userId, body) }),
    read: ({ caller, params }) => support.read(caller.userId, params.id),
    change: async ({ caller, params, body }) => ({
      ticket: await support.change(caller.userId, params.id, body),
    }),
    retry: async ({ caller, params }) => ({ ticket: await support.retry(caller.userId, params.id) }),
    async remove({ caller, params }) {
      await support.remove(caller.userId, params.id)
      return { success: true }
    },
  }
}
