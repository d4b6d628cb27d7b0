import { z } from "zod"
import { stream } from "./endpoint.ts"

/** Where programs that speak the Model Context Protocol find the box's tools (Streamable HTTP). */
export const mcpPath = "/api/mcp"

/** The protocol's own client and server check what is in a message; the box sees to it that it is one. */
const message = () =>
  z
    .looseObject({ jsonrpc: z.literal("2.0") })
    .meta({ description: "A message of the Model Context Protocol" })

export const mcpServer = {
  /** Any scope reaches some tool. Which ones a key is offered the tools say: those of a read-only key change nothing. */
  call: stream({
    method: "post",
    path: mcpPath,
    summary:
      "Model Context Protocol over Streamable HTTP: one message a request, answered by JSON, or by a stream where a tool tells how far it is",
    scope: ["assistants", "folders", "notify"],
    reads: true,
    body: message(),
    event: message(),
  }),
} as const
