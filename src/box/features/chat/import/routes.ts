import type { api } from "../../../../shared/contract/api.ts"
import type { Handlers } from "../../../http/serve.ts"
import type { ChatImports } from "./service.ts"

export function chatImportHandlers(imports: ChatImports): Handlers<typeof api.chatImports> {
  return {
    start: async ({ caller, query, receive }) => ({
      import: await imports.start(caller.userId, receive, query.hold === true),
    }),
    read: async ({ caller, params }) => ({ import: await imports.read(caller.userId, params.id) }),
    newest: async ({ caller }) => ({ import: await imports.newest(caller.userId) }),
    confirm: async ({ caller, params }) => ({ import: await imports.confirm(caller.userId, params.id) }),
    stop: async ({ caller, params }) => ({ import: await imports.stop(caller.userId, params.id) }),
  }
}
