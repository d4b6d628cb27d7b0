import type { api } from "../../../shared/contract/api.ts"
import type { Handlers } from "../../http/serve.ts"
import type { McpServer } from "./service.ts"

/** `open` loads it with the first message: a start needs nothing of the protocol. */
export function mcpServerHandlers(open: () => Promise<McpServer>): Handlers<typeof api.mcpServer> {
  return {
    async call({ request, response, body, caller }) {
      await (await open()).answer(request, response, body, caller)
    },
  }
}
