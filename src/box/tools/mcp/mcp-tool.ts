import type { CallToolResult } from "@modelcontextprotocol/client"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { Tool } from "../tool.ts"
import type { Definition } from "./definitions.ts"

export interface McpToolOptions {
  key: string
  definition: Definition
  /** Changes when the server, its connected account or the definition changes. */
  identity: string
  /** Whether the user marked the tool as read-only. The server's own claim is ignored. */
  readsOnly: boolean
  /** Returns why its server can't be used now, or null if it can. */
  unusable(): string | null
  call(args: Record<string, unknown>, signal: AbortSignal): Promise<CallToolResult>
}

const maxArgumentsLength = 200_000

/** Wraps a server's tool. Arguments leave the box, and results come from outside. */
export function createMcpTool({
  key,
  definition,
  identity,
  readsOnly,
  unusable,
  call,
}: McpToolOptions): Tool {
  const parse = (args: unknown): Record<string, unknown> => {
    if (typeof args !== "object" || args === null || Array.isArray(args))
      throw new AppError("validation", sentence("tools.arguments_not_object"))
    if (JSON.stringify(args).length > maxArgumentsLength)
      throw new AppError("validation", sentence("tools.arguments_too_long", { count: maxArgumentsLength }))
    return args as Record<string, unknown>
  }
  return {
    key,
    name: definition.functionName,
    description: definition.description,
    identity,
    effects: () => [readsOnly ? "read" : "write", "egress"],
    result: { trusted: false, private: true },
    parameters: definition.parameters,
    unusable,
    check: (args) => void parse(args),
    async run(args, { signal }) {
      const { toToolResult } = await import("./tool-result.ts")
      return toToolResult(await call(parse(args), signal))
    },
  }
}
