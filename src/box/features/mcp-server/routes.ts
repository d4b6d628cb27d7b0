import type { api } from "../../../shared/contract/api.ts"
import type { Handlers } from "../../http/serve.ts"
import type { McpServer } from "./service.ts"

/** `open` loads the MCP server with the first message, so that startup doesn't load the protocol. */
export function mcpServerHandlers(open: () => Promise<McpServer>): Handlers<typeof api.mcpServer> {
  return {
    async call({ request, response, body, caller }) {
      await (await open()).answer(request, response, body, caller)
    },
  }
}
