import type { CallToolResult } from "@modelcontextprotocol/server"
import { z } from "zod"
import type { Caller } from "../../http/caller.ts"
import type { Scope } from "../../../shared/contract/endpoint.ts"

/** The caller of a tool, and how the call is aborted. */
export interface ToolCall {
  caller: Caller
  /** The base URL at which the caller reaches the server; links start with it. */
  boxAddress: string
  /** Aborted when the caller cancels the call or disconnects. */
  signal: AbortSignal
  /** Reports progress to callers that asked for it. */
  progress(message: string): void
}

/** A tool that the server offers to programs. */
export interface McpTool {
  name: string
  title: string
  /** Description for the model that chooses the tool. */
  description: string
  /** A restricted key can call the tool if it has one of these scopes. */
  scopes: readonly Scope[]
  /** Whether the tool changes nothing. */
  readOnly: boolean
  input: z.ZodObject
  /** Any error it throws is returned to the model as a message. */
  run(input: unknown, call: ToolCall): Promise<CallToolResult>
}

/** A tool whose arguments are validated against its input schema before it runs. */
export function defineTool<Input extends z.ZodObject>(
  tool: Omit<McpTool, "input" | "run"> & {
    input: Input
    run(input: z.output<Input>, call: ToolCall): Promise<CallToolResult>
  },
): McpTool {
  return { ...tool, run: (input, call) => tool.run(tool.input.parse(omitNulls(input)), call) }
}

/** Models send null for omitted arguments. */
function omitNulls(input: unknown): unknown {
  if (typeof input !== "object" || input === null) return {}
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null))
}

/** A tool result as data for programs, and as text for models that read only text. */
export function jsonResult(value: Record<string, unknown>): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value }
}

/**
 * A text with a maximum length. The schema leaves the maximum out, because models whose output is constrained by schemas, including the
 * server's own, can't count that far.
 */
export const longText = (longest: number) =>
  z
    .string()
    .trim()
    .min(1)
    .refine((text) => text.length <= longest, { error: `longer than ${longest} characters` })

export const mayCall = ({ scopes }: Pick<Caller, "scopes">, tool: Pick<McpTool, "scopes">): boolean =>
  scopes === null || tool.scopes.some((scope) => scopes.includes(scope))
