import type { CallToolResult } from "@modelcontextprotocol/server"
import { z } from "zod"
import type { Caller } from "../../http/caller.ts"
import type { Scope } from "../../../shared/contract/endpoint.ts"

/** Who calls a tool, and how the call ends early. */
export interface ToolCall {
  caller: Caller
  /** The address at which the caller reaches the box: links begin with it. */
  boxAddress: string
  /** Aborted when the caller cancels the call, or goes away. */
  signal: AbortSignal
  /** Tells how far the call is, to callers that want to know. */
  progress(message: string): void
}

/** A tool that the box offers to programs. */
export interface McpTool {
  name: string
  title: string
  /** For the model that chooses it. */
  description: string
  /** One of these lets a key with limits call it. */
  scopes: readonly Scope[]
  /** Changes nothing. */
  readOnly: boolean
  input: z.ZodObject
  /** Whatever it throws becomes an error that the model reads. */
  run(input: unknown, call: ToolCall): Promise<CallToolResult>
}

/** A tool whose arguments are checked by its input before it runs. */
export function defineTool<Input extends z.ZodObject>(
  tool: Omit<McpTool, "input" | "run"> & {
    input: Input
    run(input: z.output<Input>, call: ToolCall): Promise<CallToolResult>
  },
): McpTool {
  return { ...tool, run: (input, call) => tool.run(tool.input.parse(withoutNulls(input)), call) }
}

/** Models send null for what they leave out. */
function withoutNulls(input: unknown): unknown {
  if (typeof input !== "object" || input === null) return {}
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null))
}

/** What a tool answers with: for programs as it is, and the same for models that only read text. */
export function asJson(value: Record<string, unknown>): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value }
}

/**
 * A text of so many characters at most. Its schema doesn't say so: models whose words are held to schemas, the box's own too,
 * can't count that far.
 */
export const longText = (longest: number) =>
  z
    .string()
    .trim()
    .min(1)
    .refine((text) => text.length <= longest, { error: `longer than ${longest} characters` })

export const mayCall = ({ scopes }: Pick<Caller, "scopes">, tool: Pick<McpTool, "scopes">): boolean =>
  scopes === null || tool.scopes.some((scope) => scopes.includes(scope))
