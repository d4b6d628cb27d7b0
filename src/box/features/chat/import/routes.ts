import type { api } from "../../../../shared/contract/api.ts"
import type { Handlers } from "../../../http/serve.ts"
import type { ChatImports } from "./service.ts"

export function chatImportHandlers(imports: ChatImports): Handlers<typeof api.chatImports> {
  return {
    start: async ({ caller, receive }) => ({ import: await imports.start(caller.userId, receive) }),
    read: async ({ caller, params }) => ({ import: await imports.read(caller.userId, params.id) }),
  }
}
