import { z } from "zod"
import { stream } from "./endpoint.ts"

/** Path of the box's tools for programs that use the Model Context Protocol (Streamable HTTP). */
export const mcpPath = "/api/mcp"

/** The protocol's own client and server check a message's content. The box only checks that it is a message. */
const message = () =>
  z
    .looseObject({ jsonrpc: z.literal("2.0").describe("Version of JSON-RPC, always `2.0`.") })
    .describe("A JSON-RPC message of the Model Context Protocol.")

export const mcpServer = {
  /** Any scope gives access to some tools, and the tools decide which ones a key is offered. Tools for a read-only key change nothing. */
  call: stream({
    method: "post",
    path: mcpPath,
    summary: "Call the MCP server",
    description:
      "Model Context Protocol over Streamable HTTP: one JSON-RPC message for each request. The response is JSON, or Server-Sent Events if a tool reports progress. Which tools are offered depends on the scopes of the key.",
    scope: ["assistants", "folders", "notify"],
    reads: true,
    body: message(),
    event: message(),
  }),
} as const
