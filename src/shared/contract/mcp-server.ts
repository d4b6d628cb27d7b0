import { z } from "zod"
import { stream } from "./endpoint.ts"

/** Path of the box's tools for programs that use the Model Context Protocol (Streamable HTTP). */
export const mcpPath = "/api/mcp"

/** The protocol's own client and server check a message's content. The box only checks that it is a message. */
const message = () =>
  z
    .looseObject({ jsonrpc: z.literal("2.0") })
    .meta({ description: "A message of the Model Context Protocol" })

export const mcpServer = {
  /** Any scope gives access to some tools, and the tools decide which ones a key is offered. Tools for a read-only key change nothing. */
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
